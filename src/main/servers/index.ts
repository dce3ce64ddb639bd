export { type KeptFolder, listKeptFolders } from './kept-files.ts'
export { isOwnFolder, makeOwnFolder, removeOwnFolder, resolveBaseFolder } from './remote-folder.ts'
export { createServers } from './service.ts'
export type * from './types.ts'
