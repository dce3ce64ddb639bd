/** Stands wherever a secret was. */
export const REDACTED = '<redacted>'
