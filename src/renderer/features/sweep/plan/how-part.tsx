import { Checkbox, TextInput } from '@mantine/core'
import { CAPACITY_CHOICES, DRIVER_CHOICES, ORDER_CHOICES, PROMPT_MODE_CHOICES } from './choices.ts'
import { ChoiceField, NumberField, Part, type PartProps } from './fields.tsx'
import classes from './plan.module.css'

/** How it is measured: what changes the meaning of the numbers. */
export function HowPart(props: PartProps) {
  const { form, errors, change } = props
  return (
    <Part title="How">
      <div className={classes.two}>
        <ChoiceField
          label="Prompts"
          choices={PROMPT_MODE_CHOICES}
          value={form.promptMode}
          error={errors.promptMode}
          onChange={(promptMode) => change({ promptMode })}
        />
        <ChoiceField
          label="Capacity rule"
          choices={CAPACITY_CHOICES}
          value={form.capacity}
          error={errors.capacity}
          onChange={(capacity) => change({ capacity })}
        />
        <ChoiceField
          label="Order of the cells"
          choices={ORDER_CHOICES}
          value={form.order}
          error={errors.order}
          onChange={(order) => change({ order })}
        />
        <ChoiceField
          label="Load comes from"
          choices={DRIVER_CHOICES}
          value={form.driver}
          error={errors.driver}
          onChange={(driver) => change({ driver })}
        />
        <NumberField
          {...props}
          name="repeats"
          label="Repeats"
          hint="Passes over the whole grid; their spread is the best measure of noise."
        />
        <TextInput
          id="plan-name"
          label="Name of the run"
          description="Empty: model, host and time."
          value={form.name}
          error={errors.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
      </div>
      {form.targetKind === 'server' && form.driver !== 'tunnel' && form.driver !== 'local' && (
        <Checkbox
          label="Node may be brought to the host"
          description="Where the host has none (≥ 20): one binary, 127 MB, under ~/.cache/speedgrid, removable from Settings. Otherwise the load comes through the tunnel."
          checked={form.sendNode}
          onChange={(event) => change({ sendNode: event.currentTarget.checked })}
        />
      )}
    </Part>
  )
}
