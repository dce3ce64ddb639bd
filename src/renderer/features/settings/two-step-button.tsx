import { Button, Group } from '@mantine/core'
import { useState } from 'react'

interface TwoStepButtonProps {
  /** "Remove". */
  label: string
  /** What it is about, for the screen reader: "Remove the key of lab-1". */
  describe: string
  onConfirm: () => Promise<void> | void
}

/** For the few things that can't be taken back: the button asks once, in place; leaving it answers "keep". */
export function TwoStepButton({ label, describe, onConfirm }: TwoStepButtonProps) {
  const [isAsked, setIsAsked] = useState(false)
  const [isBusy, setIsBusy] = useState(false)
  const confirm = async () => {
    setIsBusy(true)
    await onConfirm()
    setIsBusy(false)
    setIsAsked(false)
  }
  if (!isAsked) {
    return (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={describe}
        onClick={() => {
          setIsAsked(true)
        }}
      >
        {label}
      </Button>
    )
  }
  return (
    <Group
      gap={4}
      wrap="nowrap"
      justify="flex-end"
      onKeyDown={(event) => {
        if (event.key === 'Escape') setIsAsked(false)
      }}
    >
      <Button
        size="compact-sm"
        color="red"
        variant="light"
        loading={isBusy}
        aria-label={`${describe}: yes, ${label.toLowerCase()}`}
        onClick={() => void confirm()}
      >
        {label}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        autoFocus
        onClick={() => {
          setIsAsked(false)
        }}
      >
        Keep
      </Button>
    </Group>
  )
}
