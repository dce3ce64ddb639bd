/** Undefined for what is never opened: anything but https, credentials in an address, addresses longer than a person can judge. */
export function externalAddress(url: string): string | undefined {
  try {
    const address = new URL(url)
    const isHarmless = address.protocol === 'https:' && address.username === '' && address.password === ''
    return isHarmless && address.href.length <= 2000 ? address.href : undefined
  } catch {
    return undefined
  }
}
