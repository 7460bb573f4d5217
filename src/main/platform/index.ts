export { aheadOf, type Clock, clockAhead, systemClock } from './clock.ts'
export { AgentConfig } from './config/agent-config.ts'
export {
  type AgentEntry,
  type AgentSettings,
  type Config,
  configJsonSchema,
  defaultWorkspace,
  expandHome,
  type McpServerSettings,
  type MemorySettings,
} from './config/config-schema.ts'
export { isKeyName, KeyRing, type KeyVault, unknownProvider } from './config/key-ring.ts'
export { parseConfig } from './config/parse-config.ts'
export { describeProblems, SettingsStore } from './config/settings-store.ts'
export { dataLocations } from './diagnostics/data-locations.ts'
export { DiskWatch } from './diagnostics/disk-watch.ts'
export { withFaultsTold } from './diagnostics/fault-reports.ts'
export { Health } from './diagnostics/health.ts'
export { reportIndex } from './diagnostics/index-reports.ts'
export { readLog } from './diagnostics/log-tail.ts'
export { diagnostics } from './diagnostics/report.ts'
export { blobId, blobOf } from './diff/blob-id.ts'
export { compareLines, type LineEdit } from './diff/compare-lines.ts'
export { Differ } from './diff/differ.ts'
export { mergeTexts } from './diff/merge-texts.ts'
export { countLines, describeChange, reversed, type Standing, standingsOf } from './diff/patch.ts'
export { type Announcements, Changes } from './events.ts'
export { inBatches } from './fs/batches.ts'
export { copyAside, readKept, setAside } from './fs/damaged-file.ts'
export { decodeAs } from './fs/decode-as.ts'
export { DraftFolder, type KeptDraft, unnamedWriter } from './fs/draft-folder.ts'
export {
  appendDurably,
  syncFile,
  syncFolder,
  temporaryBeside,
  writeDurably,
  writePrivately,
  writeWhole,
} from './fs/durable-write.ts'
export { ageOf } from './fs/file-age.ts'
export { FileLock } from './fs/file-lock.ts'
export { lockFolder, lockOf } from './fs/lock-folder.ts'
export { makeFolder } from './fs/make-folder.ts'
export { Exclusive, realName } from './fs/mutex.ts'
export { readIfThere, readSmallText } from './fs/read-file.ts'
export { type Tidied, tidyFolder, tidyLater } from './fs/temp-file-cleanup.ts'
export { Queue } from './fs/work-queue.ts'
export { writeFailure } from './fs/write-failure.ts'
export { type Log, openLog, redact } from './logging/log.ts'
export { followUncaught } from './logging/uncaught.ts'
export { boundedFetch, type Fetch } from './net/bounded-fetch.ts'
export { isShallow } from './net/json-depth.ts'
export { plainWords } from './net/plain-text.ts'
export { redirected, redirectTarget } from './net/redirects.ts'
export { RemotePictures } from './net/remote-picture.ts'
export { retryAfterOf } from './net/retry-after.ts'
export { openInBrowser, type ShowFile, showWithSystem } from './shell.ts'
export { appVersion } from './version.ts'
export { serveThread, serveWorker, threadBase } from './workers/serve-worker.ts'
export { fromOrpcError } from './workers/worker-errors.ts'
export { runInWorker, startThread, type Thread, type WorkerClient, WorkerHost } from './workers/worker-host.ts'
export { searcherYoungMb, sharedMemory, shareWithThreads, threadFile } from './workers/worker-start.ts'
export { yieldToOthers } from './workers/yield.ts'
