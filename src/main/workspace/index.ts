export { decodeUtf8, hashText, maxTextBytes, readText, writeAtomic, type TextFile } from './files.ts'
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
  projectContextFiles,
} from './layout.ts'
export { isInside, normalizeRequest, resolveInside, type Roots } from './paths.ts'
export { seedWorkspace } from './templates.ts'
export { walkMarkdown, type FoundFile, type Walk } from './walk.ts'
export { Workspace, type RememberedLines, type WorkspaceWrite, type WriteCause } from './workspace.ts'
