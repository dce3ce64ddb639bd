export { createByteCollector } from './collector.ts'
export { createByteLines } from './line-splitter.ts'
export { readJson } from './read-json.ts'
export { findExcess } from './within-bounds.ts'
