export { type KeptFolder, listKeptFolders } from './kept-files.ts'
export { type BaseFolder, isOwnFolder, makeOwnFolder, removeOwnFolder, resolveBaseFolder } from './remote-folder.ts'
export { createServers, type ServersDeps } from './service.ts'
export type * from './types.ts'
