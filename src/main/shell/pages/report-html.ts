import { z } from 'zod'
import { askEngine } from '../bridge/ask-engine.ts'
import type { Hub } from '../bridge/hub.ts'

const renderedSchema = z.object({ encoding: z.literal('utf8'), data: z.string() })

/** The very bytes of the export, for a frame of the page. */
export async function reportHtml(hub: Hub, runId: string): Promise<string | undefined> {
  const input = { runId, format: 'html' }
  const rendered = await askEngine(hub, { method: 'query', path: 'reports.render', input }).catch(() => undefined)
  return renderedSchema.safeParse(rendered).data?.data
}
