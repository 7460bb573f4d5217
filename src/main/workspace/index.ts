export { FileDrafts } from './file-drafts.ts'
export { findInFiles, replaceInFiles } from './find.ts'
export { readText, writeAtomic } from './files.ts'
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
export { isInside, resolveInside, type ReadableFolder, type Roots } from './paths.ts'
export { seedWorkspace } from './templates.ts'
export { walkMarkdown } from './walk.ts'
export { Workspace, type WorkspaceWrite, type WriteOrigin } from './workspace.ts'
