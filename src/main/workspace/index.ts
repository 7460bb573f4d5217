export { type LocalRules } from './covered.ts'
export { addLogEntry } from './daily-log.ts'
export { locateAttachment, maxAttachmentBytes, readAttachment } from './attachments.ts'
export { FileDrafts } from './file-drafts.ts'
export { decodeUtf8, hashText, isWriteProtected, maxTextBytes, readBytes, readText, type TextFile } from './files.ts'
export {
  dailyLogDate,
  dailyLogPath,
  fileKind,
  isIgnoredFolder,
  isIgnoredPath,
  isMarkdown,
  isMemoryPath,
  localDate,
  localTime,
  longTermFile,
  layoutOf,
  memoryFolderOf,
  memoryFoldersOf,
  maxDepth,
  ownPath,
  projectContextFiles,
  unsearchedFor,
  unsearchedOf,
  rescuedFolder,
  rescuedFolders,
  usualDaily,
  isRescued,
  rescuedWaiting,
  trashFolder,
  type Layout,
} from './layout.ts'
export { isHidden, isHiddenPath, isInstruction, isNote, isPortable, nameFor } from './names.ts'
export {
  isInside,
  normalizeRequest,
  placeOf,
  resolveInside,
  type Place,
  type ReadableFolder,
  type Roots,
} from './paths.ts'
export { addToSection, noteItem, sectionTitle } from './sections.ts'
export { seedWorkspace } from './templates.ts'
export { askDirectly, askDisk, type AskDisk } from './ask-disk.ts'
export { isBehindLink, walkFiles, walkMarkdown, walkNotes, type FoundFile, type WalkProblem } from './walk.ts'
export { Workspace } from './workspace.ts'
export { type CarriedOn } from './carry-on.ts'
export { type ChangeKind } from './pending-change.ts'
export { type RememberedLines, type WorkspaceWrite, type WriteOrigin } from './edits.ts'
export { type PendingReplacement } from './pending-change.ts'
export { type RelocationWatch } from './relocate.ts'
