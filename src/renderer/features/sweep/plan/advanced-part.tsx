import { Button, Checkbox, FileButton, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { countText } from '../../../../shared/format/index.ts'
import { COUNT_TOKENS_CHOICES, ENDPOINT_CHOICES, FOREIGN_LOAD_CHOICES, ON_LOOP_CHOICES, SERVER_GONE_CHOICES } from './choices.ts'
import { ChoiceField, NumberField, type PartProps } from './fields.tsx'
import classes from './plan.module.css'
import { PROMPTS_LIMIT_BYTES, readPromptsText } from './prompts-text.ts'

/** Names of the fields in here, so that a message in them opens the section. */
export const ADVANCED_FIELDS = [
  'kvTokens',
  'settleSeconds',
  'stagger',
  'endpoint',
  'prompts',
  'seed',
  'model',
  'temperature',
  'countTokens',
  'onLoop',
  'foreignLoad',
  'foreignWaitSeconds',
  'onServerGone',
  'targetPrecisionPercent',
  'minSeconds',
  'maxSeconds',
  'timeBudgetMinutes',
  'ackLimitHours',
  'tags',
] as const

/** The rest of a plan, rarely touched. */
export function AdvancedPart(props: PartProps) {
  const { form, errors, change } = props
  return (
    <div className={classes.advanced}>
      <div className={classes.two}>
        <NumberField
          {...props}
          name="kvTokens"
          label="KV cache size"
          hint="Instead of what the server says."
          placeholder="what the server says"
          unit="tokens"
        />
        <NumberField
          {...props}
          name="settleSeconds"
          label="Settle time"
          hint="All streams must run so long before the window opens; 3 s as published."
          unit="s"
        />
        <NumberField
          {...props}
          name="targetPrecisionPercent"
          label="Target precision"
          hint="Ends a window early at this 95 % half-width."
          placeholder="off"
          unit="%"
        />
        <NumberField
          {...props}
          name="timeBudgetMinutes"
          label="Time budget"
          hint="Skips what doesn’t fit; coarse grid first."
          placeholder="none"
          unit="min"
        />
        <NumberField {...props} name="minSeconds" label="Shortest window" hint="With a target precision." unit="s" />
        <NumberField {...props} name="maxSeconds" label="Longest window" hint="With a target precision." unit="s" />
        <ChoiceField
          label="Endpoint"
          choices={ENDPOINT_CHOICES}
          value={form.endpoint}
          onChange={(endpoint) => change({ endpoint })}
        />
        <TextInput
          id="plan-model"
          label="Served model name"
          description="The server’s first one where empty."
          value={form.model}
          error={errors.model}
          onChange={(event) => change({ model: event.currentTarget.value })}
        />
        <NumberField
          {...props}
          name="temperature"
          label="Temperature"
          hint="The server’s own where empty."
          placeholder="the server’s"
        />
        <NumberField {...props} name="seed" label="Seed" hint="The same plan and seed give the same prompts." />
        <ChoiceField
          label="Counting tokens"
          choices={COUNT_TOKENS_CHOICES}
          value={form.countTokens}
          onChange={(countTokens) => change({ countTokens })}
        />
        <ChoiceField
          label="A stream that repeats itself"
          choices={ON_LOOP_CHOICES}
          value={form.onLoop}
          onChange={(onLoop) => change({ onLoop })}
        />
        <ChoiceField
          label="Load that isn’t ours"
          choices={FOREIGN_LOAD_CHOICES}
          value={form.foreignLoad}
          onChange={(foreignLoad) => change({ foreignLoad })}
        />
        <NumberField
          {...props}
          name="foreignWaitSeconds"
          label="Wait for it at most"
          hint="Then the cell is an error."
          unit="s"
        />
        <ChoiceField
          label="When the server dies"
          choices={SERVER_GONE_CHOICES}
          value={form.onServerGone}
          onChange={(onServerGone) => change({ onServerGone })}
        />
        <NumberField
          {...props}
          name="ackLimitHours"
          label="A driver nobody reads ends after"
          hint="It runs on while nobody looks, but not for ever."
          unit="h"
        />
        <TagsInput
          label="Tags"
          description="For the history."
          value={form.tags}
          error={errors.tags}
          maxTags={20}
          onChange={(tags) => change({ tags })}
        />
      </div>
      <Checkbox
        label="Stagger the streams"
        description="Spreads the ends of the first requests over one request’s length; off as published."
        checked={form.stagger}
        onChange={(event) => change({ stagger: event.currentTarget.checked })}
      />
      <PromptsField {...props} />
    </div>
  )
}

function PromptsField({ form, errors, change }: PartProps) {
  const [problem, setProblem] = useState<string>()
  const take = async (file: File | null) => {
    if (!file) return
    if (file.size > PROMPTS_LIMIT_BYTES) {
      setProblem('The file is larger than 32 MiB')
      return
    }
    const outcome = readPromptsText(file.name, await file.text())
    setProblem(outcome.ok ? undefined : outcome.error)
    if (outcome.ok) change({ prompts: outcome.prompts })
  }
  const error = problem ?? errors.prompts
  return (
    <div className={classes.prompts}>
      <span className={classes.promptsLabel}>Your own prompt text</span>
      <FileButton accept=".txt,.md,.jsonl,.ndjson,text/plain" onChange={(file) => void take(file)}>
        {(button) => (
          <Button {...button} variant="default" size="compact-sm">
            Choose a file…
          </Button>
        )}
      </FileButton>
      {form.prompts && (
        <>
          <span>
            {form.prompts.name}, {countText(form.prompts.texts.length)} {form.prompts.texts.length === 1 ? 'text' : 'texts'}
          </span>
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => change({ prompts: undefined })}>
            Take it away
          </Button>
        </>
      )}
      <span className={classes.promptsHint}>
        A text file, or JSONL with “text” or “prompt”. It is carried in the plan; it is not kept in the draft.
      </span>
      {error !== undefined && (
        <span className={classes.promptsError} role="alert">
          {error}
        </span>
      )}
    </div>
  )
}
