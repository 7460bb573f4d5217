export { lookAtFolder, namesIn } from './conventions/inspect-folder.ts'
export { readHabits } from './conventions/read-conventions.ts'
export { VaultHabits, withOwn } from './conventions/vault-conventions.ts'
export { assertNamable, Phrase } from './erasure/erase-pattern.ts'
export { type ForgetRequest } from './erasure/erase.ts'
export { type ForgetFolders, otherGit } from './erasure/erasure-stores.ts'
export { forgetInThread, resumeInThread, scanInThread } from './erasure/erasure-worker.ts'
export { addToSection, noteItem, sectionTitle } from './files/add-to-section.ts'
export { attachFile } from './files/attach-file.ts'
export { locateAttachment, maxAttachmentBytes, readAttachment } from './files/attachments.ts'
export { addLogEntry } from './files/daily-log.ts'
export { FileDrafts } from './files/file-drafts.ts'
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
  trashFolder,
  unsearchedFor,
  unsearchedOf,
} from './files/layout.ts'
export {
  isInside,
  normalizeRequest,
  type Place,
  placeOf,
  type ReadableFolder,
  resolveInside,
  type Roots,
} from './files/paths.ts'
export { seedWorkspace } from './files/seed-templates.ts'
export { askDirectly } from './files/stat-batch.ts'
export { decodeUtf8, hashText, maxTextBytes, readText, type TextFile } from './files/text-files.ts'
export { TextFigures } from './files/text-statistics.ts'
export { type FoundFile, isBehindLink, walkFiles, walkMarkdown, type WalkProblem } from './files/walk.ts'
export { type RememberedLines, type WorkspaceWrite, type WriteOrigin } from './files/workspace-edits.ts'
export { Workspace } from './files/workspace.ts'
export { Finder } from './find-replace/finder.ts'
export { Commits } from './git/commits.ts'
export { type ChangeStanding } from './history/change-revert-status.ts'
export { History } from './history/history.ts'
export { type HistoryProblem } from './history/recorder.ts'
export { Recording } from './history/recording.ts'
export { Accepted } from './history/reviewed-hunks.ts'
export { Links } from './links/links.ts'
export { mendLink } from './links/repair-link.ts'
export { Batches } from './transactions/batches.ts'
export { type BatchKind, kindOf, namesOf } from './transactions/change-journal.ts'
export { type LocalRules } from './transactions/keep-local.ts'
export { type Recovered } from './transactions/recovery.ts'
export { UndoStore } from './transactions/undo-store.ts'
