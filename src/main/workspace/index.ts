export { addLogEntry } from './daily-log.ts'
export { locateAttachment, maxAttachmentBytes, readAttachment } from './attachments.ts'
export { FileDrafts } from './file-drafts.ts'
export { decodeUtf8, hashText, maxTextBytes, readText, type TextFile } from './files.ts'
export {
  dailyLogDate,
  dailyLogPath,
  fileKind,
  isIgnoredFolder,
  isMarkdown,
  isMemoryPath,
  localDate,
  localTime,
  longTermFile,
  memoryFolder,
  maxDepth,
  projectContextFiles,
  unsearchedFor,
  unsearchedOf,
  rescuedFolder,
  isRescued,
  rescuedWaiting,
  trashFolder,
  type Layout,
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
export { sectionTitle } from './sections.ts'
export { seedWorkspace } from './templates.ts'
export { walkFiles, walkMarkdown, walkNotes, type FoundFile, type WalkProblem } from './walk.ts'
export { Workspace } from './workspace.ts'
export type { CarriedOn } from './carry-on.ts'
export type { WorkspaceWrite, WriteOrigin } from './edits.ts'
