/** 262144 → "262,144". Own code: the first toLocaleString of a process loads locale data for hundreds of ms. */
export function thousands(value: number): string {
  let rest = String(Math.round(value))
  const groups: string[] = []
  while (/\d{4}$/.test(rest)) {
    groups.unshift(rest.slice(-3))
    rest = rest.slice(0, -3)
  }
  return [rest, ...groups].join(',')
}
