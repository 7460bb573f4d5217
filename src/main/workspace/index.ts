export { makeFolder, readText, writeAtomic } from './files.ts'
export {
  dailyLogDate,
  dailyLogPath,
  fileKind,
  isIgnoredFolder,
  isMarkdown,
  isMemoryPath,
  localDate,
  longTermFile,
  memoryFolder,
  projectContextFiles,
} from './layout.ts'
export { isInside, resolveInside } from './paths.ts'
export { seedWorkspace } from './templates.ts'
export { walkMarkdown } from './walk.ts'
export { Workspace } from './workspace.ts'
