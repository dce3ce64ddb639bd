export { exportReport, writeExport } from './export-report.ts'
export { findChromium } from './find-chromium.ts'
export { writeReport } from './write-report.ts'
