/** Said by `driver.mjs --version` and in the spool's hello. */
export const DRIVER_VERSION = '0.1.0'
