export { ChangeLog } from './changes/change-log.ts'
export { History } from './changes/history.ts'
export { WrittenDays } from './changes/written-days.ts'
export { longTermFilesIn } from './conventions/read-conventions.ts'
export { inspectFolder, listEntryNames, openConventions, type Conventions } from './conventions/vault-conventions.ts'
export { DeletionPattern } from './deletion/deletion-pattern.ts'
export { taskFile } from './deletion/delete-permanently.ts'
export type { DeletionJobs } from './deletion/deletion.worker.ts'
export { maxAttachmentBytes } from './files/attachments.ts'
export { followerOf, isHidden, isPortable, toFileName } from './files/file-names.ts'
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
  memoryFolderPath,
  memoryFolderPaths,
  ownFilePath,
  projectContextFiles,
  exclusionReason,
} from './files/layout.ts'
export { addLogEntry, endsInPrivateText } from './files/note-entries.ts'
export { isInside, normalizePath, resolveRoots, resolveInside, type Roots } from './files/paths.ts'
export { decodeUtf8, hashText, maxTextBytes, readText } from './files/text-files.ts'
export { type WalkedFile, isBehindLink, walkFiles, walkMarkdown } from './files/walk.ts'
export type { WriteOrigin } from './files/workspace-writer.ts'
export { Workspace } from './files/workspace.ts'
export { createFinder } from './find-replace/finder.ts'
export { gitLog } from './git/git-log.ts'
export { repairLink } from './links/format-link.ts'
export { Links } from './links/links.ts'
export { toLeftFile, describeBatch } from './transactions/batch.ts'
export { Batches } from './transactions/batches.ts'
