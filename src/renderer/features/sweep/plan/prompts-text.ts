import { z } from 'zod'

const lineSchema = z.union([z.object({ text: z.string().min(1) }), z.object({ prompt: z.string().min(1) })])

/** The largest prompts file that is carried in a plan. */
export const PROMPTS_LIMIT_BYTES = 32 * 1024 * 1024

type PromptsOutcome = { ok: true; prompts: { name: string; texts: string[] } } | { ok: false; error: string }

/** A text file is one text; JSONL with `text` or `prompt` is one text a line, as on the command line. */
export function readPromptsText(name: string, content: string): PromptsOutcome {
  if (content.trim() === '') return { ok: false, error: 'The file has no text' }
  if (!/\.(jsonl|ndjson)$/i.test(name)) return { ok: true, prompts: { name, texts: [content] } }
  const texts: string[] = []
  for (const [index, line] of content.split('\n').entries()) {
    if (line.trim() === '') continue
    const text = promptOf(line)
    if (text === undefined) return { ok: false, error: `Line ${index + 1} is not a JSON object with "text" or "prompt"` }
    texts.push(text)
  }
  return { ok: true, prompts: { name, texts } }
}

function promptOf(line: string): string | undefined {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(line))
    if (!parsed.success) return undefined
    return 'text' in parsed.data ? parsed.data.text : parsed.data.prompt
  } catch {
    return undefined
  }
}
