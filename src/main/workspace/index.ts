export { addLogEntry } from './daily-log.ts'
export { FileDrafts } from './file-drafts.ts'
export { findInFiles, replaceInFiles } from './find.ts'
export { decodeUtf8, hashText, maxTextBytes, readText, type TextFile } from './files.ts'
export {
  dailyLogDate,
  dailyLogPath,
  fileKind,
  isIgnoredFolder,
  isMarkdown,
  isMemoryPath,
  isRescued,
  localDate,
  localTime,
  longTermFile,
  memoryFolder,
  maxDepth,
  projectContextFiles,
  unsearchedFor,
  unsearchedOf,
  rescuedFolder,
} from './layout.ts'
export { isHidden, isInstruction, isNote, isPortable, nameFor } from './names.ts'
export {
  isInside,
  normalizeRequest,
  placeOf,
  resolveInside,
  type Place,
  type ReadableFolder,
  type Roots,
} from './paths.ts'
export { seedWorkspace } from './templates.ts'
export { walkFiles, walkMarkdown, type FoundFile, type WalkProblem } from './walk.ts'
export { Workspace } from './workspace.ts'
export type { WorkspaceWrite, WriteOrigin } from './edits.ts'
