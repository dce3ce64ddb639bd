import { useEffect, useState } from 'react'
import type { PromptView } from '../../../shared/contract/prompts.ts'
import { useApp } from '../../state/context.ts'

/** True: a kept secret answered the question. False: the person has to. Undefined while that is being found out. */
export function useKeptAnswer(prompt: PromptView): boolean | undefined {
  const { shell } = useApp()
  const name = prompt.kind === 'secret' && prompt.again !== true ? prompt.keepAs : undefined
  const [isAnswered, setIsAnswered] = useState<boolean | undefined>(name === undefined ? false : undefined)
  const { id } = prompt
  useEffect(() => {
    if (name === undefined) return
    let left = false
    const settle = (answered: boolean) => {
      if (!left) setIsAnswered(answered)
    }
    shell.answerPrompt({ name, promptId: id }).then(settle, () => {
      settle(false)
    })
    return () => {
      left = true
    }
  }, [shell, name, id])
  return isAnswered
}
