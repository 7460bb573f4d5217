export { Agents } from './agents.ts'
export { defaultStateHome, stateFolders, type StateFolders } from './folders.ts'
export { singleFolder, type SingleFolder } from './single-folder.ts'
