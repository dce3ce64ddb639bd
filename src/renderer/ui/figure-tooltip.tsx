import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { type FigureName, FIGURES } from './figures.ts'
import classes from './figure-tooltip.module.css'

/** The figure's name with its definition on hover and focus. Other children keep the definition. */
export function FigureTooltip({ figure, children }: { figure: FigureName; children?: ReactNode }) {
  const { name, definition } = FIGURES[figure]
  return (
    <Tooltip label={<DefinitionText name={name} definition={definition} />}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the definition is there for the keyboard too */}
      <span className={classes.term} tabIndex={0}>
        {children ?? name}
      </span>
    </Tooltip>
  )
}

function DefinitionText({ name, definition }: { name: string; definition: string }) {
  return (
    <span>
      <strong>{name}</strong>
      <br />
      {definition}
    </span>
  )
}
