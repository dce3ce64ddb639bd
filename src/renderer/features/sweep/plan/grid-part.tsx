import { Checkbox } from '@mantine/core'
import { ChipsField } from './chips-field.tsx'
import { NumberField, Part, type PartProps } from './fields.tsx'
import { contextText, mergedContexts, mergedLevels, typedConcurrency, typedContexts } from './lists.ts'
import classes from './plan.module.css'

/** The grid itself, how long a cell is measured, and which prefills. */
export function GridPart(props: PartProps) {
  const { form, errors, change } = props
  return (
    <Part title="Grid">
      <ChipsField
        label="Contexts (rows)"
        hint="Prompt length in tokens: 0, 8k, 251k, max. k is × 1,024; max is the longest there is room for."
        placeholder="0, 8k, 32k, max"
        values={form.contexts}
        error={errors.contexts}
        textOf={contextText}
        read={typedContexts}
        merge={mergedContexts}
        onChange={(contexts) => change({ contexts })}
      />
      <ChipsField
        label="Requests at once (columns)"
        hint="1, 2, 8, or a range 50:100:10."
        placeholder="1, 2, 4, 8"
        values={form.concurrency}
        error={errors.concurrency}
        textOf={String}
        read={typedConcurrency}
        merge={mergedLevels}
        onChange={(concurrency) => change({ concurrency })}
      />
      <div className={classes.two}>
        <NumberField {...props} name="seconds" label="Seconds per cell" hint="The measured window." unit="s" />
        <NumberField {...props} name="maxOutputTokens" label="Max output" hint="Tokens per request; 4k is 4,096." unit="tokens" />
      </div>
    </Part>
  )
}

export function PrefillPart(props: PartProps) {
  const { form, errors, change } = props
  return (
    <Part title="Prefill">
      <Checkbox
        label="Of the cells’ own contexts, as they warm up"
        description="The first cold request of a context is its prefill anyway: it costs nothing more."
        checked={form.prefillWithCells}
        onChange={(event) => change({ prefillWithCells: event.currentTarget.checked })}
      />
      {!form.prefillWithCells && (
        <ChipsField
          label="Prefill contexts"
          hint="Measured alone where no cell has that context; max is one token below the model’s length. Empty: none."
          placeholder="none"
          values={form.prefillContexts}
          error={errors.prefillContexts}
          textOf={contextText}
          read={typedContexts}
          merge={mergedContexts}
          onChange={(prefillContexts) => change({ prefillContexts })}
        />
      )}
      <NumberField
        {...props}
        name="prefillSamples"
        label="Samples per context"
        hint="Cold requests, each with a prefix never seen; two or more show the spread."
      />
    </Part>
  )
}
