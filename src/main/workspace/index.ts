export { maxAttachmentBytes } from './files/attachments.ts'
export { addLogEntry } from './files/daily-log.ts'
export { isHidden, isInstruction, isNote, isPortable, nameFor } from './files/file-names.ts'
export {
  dailyLogDate,
  dailyLogPath,
  fileKind,
  isIgnoredFolder,
  isIgnoredPath,
  isMarkdown,
  isMemoryPath,
  isRescued,
  type Layout,
  layoutOf,
  localDate,
  localTime,
  longTermFile,
  maxDepth,
  memoryFolderOf,
  memoryFoldersOf,
  ownPath,
  projectContextFiles,
  rescuedFolder,
  rescuedFolders,
  rescuedWaiting,
  unsearchedFor,
  unsearchedOf,
} from './files/layout.ts'
export { isInside, normalizeRequest, type Place, placeOf, resolveInside, type Roots } from './files/paths.ts'
export { askDirectly } from './files/stat-batch.ts'
export { decodeUtf8, maxTextBytes, readText } from './files/text-files.ts'
export { type FoundFile, isBehindLink, walkFiles, walkMarkdown, type WalkProblem } from './files/walk.ts'
export type { WorkspaceWrite, WriteOrigin } from './files/workspace-edits.ts'
export { Workspace } from './files/workspace.ts'
export { mendLink } from './links/repair-link.ts'
