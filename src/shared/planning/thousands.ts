/** 262144 → "262,144". Own code: the first toLocaleString of a process loads locale data for hundreds of ms. */
export function thousands(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}
