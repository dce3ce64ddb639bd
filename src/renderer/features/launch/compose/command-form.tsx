import { Select } from '@mantine/core'
import type { Dispatch } from 'react'
import type { Inventory } from '../../../../shared/model/host.ts'
import {
  type CommandReading,
  flagOf,
  type FlagUse,
  removeUse,
  setFlag,
  setModel,
  shellTokens,
} from '../../../../shared/command/index.ts'
import { FORM_FLAGS, type FormFlag } from '../command/form-flags.ts'
import { tokenCount } from '../command/token-count.ts'
import type { Draft, DraftAction } from './draft.ts'
import { FlagField } from './flag-field.tsx'
import classes from './form.module.css'
import { ModelField } from './model-field.tsx'
import { OtherFlags } from './other-flags.tsx'
import { SecretFields } from './secret-fields.tsx'
import { VariableFields } from './variable-fields.tsx'

interface CommandFormProps {
  draft: Draft
  reading: CommandReading
  inventory: Inventory | undefined
  dispatch: Dispatch<DraftAction>
  /** Shows where in the text it stands. */
  onFind: (place: { start: number; end: number }) => void
  onHelp: (help: string | undefined) => void
}

const FORM_NAMES = new Set<string>(FORM_FLAGS.map((field) => field.flag))

/** The command as fields. Each field changes its own words of the text, and nothing else. */
export function CommandForm({ draft, reading, inventory, dispatch, onFind, onHelp }: CommandFormProps) {
  const edit = (text: string) => {
    dispatch({ kind: 'edit', change: { text } })
  }
  const { text } = draft
  const lastUses = FORM_FLAGS.map((field) => flagOf(reading, field.flag))
  const others = reading.flags.filter((use) => !FORM_NAMES.has(use.flag) || !lastUses.includes(use))
  return (
    <div className={classes.form}>
      <EnvironmentField draft={draft} inventory={inventory} dispatch={dispatch} />
      <ModelField
        value={reading.model?.value}
        onChange={(model) => {
          edit(setModel(text, model))
        }}
      />
      <div className={classes.flags}>
        {FORM_FLAGS.map((field: FormFlag, index) => (
          <div key={field.flag} className={isWide(field) ? classes.wide : undefined}>
            <FlagField
              field={field}
              value={valueOf(lastUses[index])}
              note={noteOf(field, valueOf(lastUses[index]))}
              warning={warningOf(field, valueOf(lastUses[index]), inventory)}
              onChange={(value) => {
                edit(setFlag(text, field.flag, wordsOf(field, value)))
              }}
              onHelp={onHelp}
            />
          </div>
        ))}
      </div>
      <SecretFields secrets={draft.secrets} dispatch={dispatch} />
      <VariableFields text={text} variables={reading.variables} onChange={edit} />
      <OtherFlags
        uses={others}
        onFind={onFind}
        onRemove={(use) => {
          edit(removeUse(text, use))
        }}
      />
    </div>
  )
}

const isWide = (field: FormFlag) => field.flag === '--speculative-config' || field.flag === '--served-model-name'

const valueOf = (use: FlagUse | undefined) => (use === undefined ? undefined : use.values.join(' '))

/** An emptied field takes its flag out. Names are words of their own; everything else is one value. */
function wordsOf(field: FormFlag, value: string): string[] | undefined {
  if (value.trim() === '') return undefined
  return field.flag === '--served-model-name'
    ? shellTokens(value).flatMap(({ kind, value: name }) => (kind === 'word' ? [name] : []))
    : [value.trim()]
}

const noteOf = (field: FormFlag, value: string | undefined) =>
  field.flag === '--max-model-len' && value !== undefined && value !== '' ? tokenCount(value).text : undefined

function warningOf(field: FormFlag, value: string | undefined, inventory: Inventory | undefined): string | undefined {
  if (field.flag !== '--tensor-parallel-size' || value === undefined || inventory === undefined) return undefined
  const count = inventory.gpus.length
  return count > 0 && Number(value) > count ? `The host has ${String(count)} GPU${count === 1 ? '' : 's'}.` : undefined
}

const noEnvironment = (inventory: Inventory | undefined) =>
  inventory === undefined ? 'vLLM installations are listed once the host has been looked at.' : 'No vLLM was found on this host.'

function EnvironmentField({ draft, inventory, dispatch }: Pick<CommandFormProps, 'draft' | 'inventory' | 'dispatch'>) {
  const known = inventory?.environments ?? []
  const isGone = draft.environment !== undefined && inventory !== undefined && !known.some((it) => it.vllm === draft.environment)
  const paths = [...new Set([...known.map((it) => it.vllm), ...(draft.environment === undefined ? [] : [draft.environment])])]
  const versionOf = (path: string) => known.find((it) => it.vllm === path)?.version
  return (
    <Select
      label="Environment"
      description={known.length === 0 ? noEnvironment(inventory) : undefined}
      error={isGone ? 'This host has no vLLM at that path.' : undefined}
      placeholder={known[0] === undefined ? 'the first one found' : `the first one found: ${known[0].version ?? known[0].vllm}`}
      clearable
      clearButtonProps={{ 'aria-label': 'Use the first one found' }}
      data={paths.map((path) => ({ value: path, label: `${versionOf(path) ?? 'unknown version'} · ${path}` }))}
      value={draft.environment ?? null}
      onChange={(value) => {
        dispatch({ kind: 'edit', change: { environment: value ?? undefined } })
      }}
      renderOption={({ option }) => (
        <span className={classes.environment}>
          <strong>{versionOf(option.value) ?? 'unknown version'}</strong>
          <code>{option.value}</code>
        </span>
      )}
    />
  )
}
