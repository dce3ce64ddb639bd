export { dataFolder, typedPath } from './data-folder.ts'
