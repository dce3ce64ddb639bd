/** Only loopback: an engine elsewhere is reached by `ssh -L`, as `speedgrid serve` says. */
export function checkEngineUrl(text: string): string | undefined {
  if (text.trim() === '') return 'Paste the link that “speedgrid serve” printed.'
  let url: URL
  try {
    url = new URL(text.trim())
  } catch {
    return 'This is no link; it looks like http://127.0.0.1:8471/?token=…'
  }
  if (url.protocol !== 'http:') return 'A link to an engine starts with http://'
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname))
    return 'An engine listens on this computer only. For one elsewhere: ssh -L 8471:127.0.0.1:8471 host'
  return undefined
}
