export { ChangeLog, type ChangeSet, type HistoryProblem } from './changes/change-log.ts'
export { History } from './changes/history.ts'
export { type RevertRequest } from './changes/revert.ts'
export { longTermFilesIn } from './conventions/read-conventions.ts'
export { inspectFolder, listEntryNames, ConventionsReader } from './conventions/vault-conventions.ts'
export { ErasePattern } from './erasure/erase-pattern.ts'
export { taskFile } from './erasure/erase.ts'
export { type ErasureFolders } from './erasure/erasure-stores.ts'
export { type ErasureJobs } from './erasure/erasure.worker.ts'
export { locateAttachment, maxAttachmentBytes, readAttachment } from './files/attachments.ts'
export { followerOf, isHidden, isPortable, noteExtensions, toFileName } from './files/file-names.ts'
export {
  dailyLogDate,
  dailyLogPath,
  fileKind,
  isIgnoredFolder,
  isIgnoredPath,
  isMarkdown,
  isMemoryPath,
  isVerbatim,
  type Layout,
  createLayout,
  localDate,
  localTime,
  longTermFile,
  maxDepth,
  memoryFolderPath,
  memoryFolderPaths,
  ownFilePath,
  projectContextFiles,
  pendingVerbatimTitle,
  takenVerbatimTitle,
  exclusionReason,
  exclusionEntry,
} from './files/layout.ts'
export { addToSection, noteItem, sectionTitle, addLogEntry, endsInPrivateText } from './files/note-entries.ts'
export {
  fileIdOf,
  isInside,
  normalizePath,
  type ResolvedRoots,
  resolveRoots,
  type ReadableFolder,
  resolveInside,
  type Roots,
} from './files/paths.ts'
export { decodeUtf8, fileStamp, hashText, maxTextBytes, readText, type TextFile } from './files/text-files.ts'
export { type FoundFile, isBehindLink, walkFiles, walkMarkdown, type WalkProblem } from './files/walk.ts'
export { type RememberedLines, type WorkspaceWrite, type WriteOrigin } from './files/workspace-writer.ts'
export { type RevertedChange, Workspace } from './files/workspace.ts'
export { Finder } from './find-replace/finder.ts'
export { findGitFolder, GitLog } from './git/git-log.ts'
export { repairLink } from './links/format-link.ts'
export { Links } from './links/links.ts'
export { toLeftFile, batchKind, batchNames } from './transactions/batch.ts'
export { Batches } from './transactions/batches.ts'
export { type RecoveryResult } from './transactions/recovery.ts'
export { type PrivatePathRules } from './transactions/transaction.ts'
