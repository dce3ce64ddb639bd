export { bundleOf } from './bundle.ts'
