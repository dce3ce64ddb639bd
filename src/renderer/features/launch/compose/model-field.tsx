import { TextInput } from '@mantine/core'
import { useState } from 'react'

const MOST_CHARS = 500

export function ModelField({ value, onChange }: { value: string | undefined; onChange: (model: string) => void }) {
  const [typed, setTyped] = useState<string>()
  return (
    <TextInput
      label="Model"
      withAsterisk
      description="A name on Hugging Face, or a folder on the host."
      placeholder="Qwen/Qwen3.5-27B-FP8"
      maxLength={MOST_CHARS}
      spellCheck={false}
      value={typed ?? value ?? ''}
      error={typed !== undefined && /\s/.test(typed.trim()) ? 'A model’s name has no spaces; a folder may.' : undefined}
      onFocus={() => {
        setTyped(value ?? '')
      }}
      onBlur={() => {
        setTyped(undefined)
      }}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        onChange(event.currentTarget.value.trim())
      }}
    />
  )
}
