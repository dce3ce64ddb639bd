import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import { SpeedgridError } from '../../../shared/model/error.ts'

const lineSchema = z.union([z.object({ text: z.string().min(1) }), z.object({ prompt: z.string().min(1) })])

/** A text file → one text; JSONL with `text` or `prompt` → one text a line. */
export function readPromptsFile(path: string): { name: string; texts: string[] } {
  const content = readTextFile(path, 'plan', '--prompts')
  const name = basename(path)
  const isJsonl = /\.(jsonl|ndjson)$/i.test(name) || parsesAsPrompt(content.slice(0, content.indexOf('\n') + 1 || undefined))
  const texts = isJsonl
    ? content.split('\n').flatMap((line, index) => (line.trim() ? [promptOf(line, index + 1, path)] : []))
    : [content]
  if (texts.every((text) => text.trim() === ''))
    throw new SpeedgridError('plan', 'The prompts file has no text.', { evidence: [path] })
  return { name, texts }
}

/** A file the person named, as text. */
export function readTextFile(path: string, code: 'plan' | 'usage', flag: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    const cause = why === 'ENOENT' ? `The file of ${flag} isn't there.` : `The file of ${flag} can't be read (${why}).`
    throw new SpeedgridError(code, cause, {
      evidence: [path],
      nextStep: 'Check the path; it is relative to where you typed the command.',
    })
  }
}

function parsesAsPrompt(line: string): boolean {
  try {
    return lineSchema.safeParse(JSON.parse(line)).success
  } catch {
    return false
  }
}

function promptOf(line: string, number: number, path: string): string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    value = undefined
  }
  const parsed = lineSchema.safeParse(value)
  if (!parsed.success) {
    throw new SpeedgridError('plan', `Line ${number} of the prompts file is not a JSON object with "text" or "prompt".`, {
      evidence: [`${path}:${number}`, line.slice(0, 120)],
      nextStep: 'One JSON object a line, like {"prompt": "…"}; or a plain text file that does not end in .jsonl.',
    })
  }
  return 'text' in parsed.data ? parsed.data.text : parsed.data.prompt
}
