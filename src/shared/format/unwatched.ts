/** A run whose driver nobody reads, in words: what is known, and what isn't. */
export function unwatchedText(run: {
  state: string
  unwatched?: { lastHeardAt?: string | undefined } | undefined
  place?: string | undefined
  host?: string | undefined
}): string | undefined {
  if (run.unwatched === undefined) return undefined
  const { lastHeardAt } = run.unwatched
  const heard =
    lastHeardAt === undefined
      ? 'nothing was heard of its driver yet'
      : `last heard of at ${lastHeardAt.slice(0, 19).replace('T', ' ')} UTC, then ${run.state}`
  const driver =
    run.place === 'host'
      ? `; its driver on ${run.host ?? 'the host'} may still run: speedgrid resume looks, and reads on or goes on`
      : '; speedgrid resume goes on'
  return `not watched: ${heard}${driver}`
}
