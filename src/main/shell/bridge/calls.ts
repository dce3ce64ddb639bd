import { type CallInput, callInputs, type CallName, isCallName, type ToPage } from './envelope.ts'

export type CallHandlers<Caller> = { [Name in CallName]: (input: CallInput<Name>, caller: Caller) => unknown }

/** Said to the page as it is: for people, and without a secret. */
export class CallError extends Error {}

/** Answers a call of the page: its input is checked here, once; an error that isn't meant for people is told in general words. */
export async function answerCall<Caller>(
  handlers: CallHandlers<Caller>,
  { id, call, input }: { id: number; call: string; input: unknown },
  caller: Caller,
  onUnexpected: (call: string, error: unknown) => void,
): Promise<ToPage> {
  const refuse = (error: string): ToPage => ({ from: 'shell', id, ok: false, error })
  if (!isCallName(call)) return refuse('The window does not know this call.')
  const known = callInputs[call].safeParse(input)
  if (!known.success) return refuse('The window did not understand the call.')
  try {
    // The schema of this very name has just accepted it.
    const handler = handlers[call] as (input: unknown, caller: Caller) => unknown
    const value: unknown = await handler(known.data, caller)
    return { from: 'shell', id, ok: true, value: value ?? null }
  } catch (error) {
    if (error instanceof CallError) return refuse(error.message)
    onUnexpected(call, error)
    return refuse('Something unexpected went wrong in the window.')
  }
}
