import { ActionIcon, Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useCopy } from './use-copy.ts'

interface CopyButtonProps {
  value: string | (() => string)
  /** What is copied, for tooltip and screen reader. */
  label: string
}

export function CopyButton({ value, label }: CopyButtonProps) {
  const { copied, copy } = useCopy()
  const text = copied === undefined ? label : copied ? 'Copied' : 'The clipboard refused'
  return (
    <Tooltip label={text}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        aria-label={text}
        onClick={() => void copy(typeof value === 'function' ? value() : value)}
      >
        {copied === true ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  )
}
