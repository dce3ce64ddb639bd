/** `speedgrid://run/<id>` only navigates and never starts anything; every other address is ignored. */
export function deepLinkRoute(link: string): string | undefined {
  const id = /^speedgrid:\/\/run\/([\w.-]{1,100})\/?$/.exec(link)?.[1]
  return id === undefined ? undefined : `#/sweep/${encodeURIComponent(id)}`
}

export const deepLinkIn = (argv: readonly string[]) => argv.map(deepLinkRoute).find((route) => route !== undefined)
