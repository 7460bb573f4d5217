export { setBounded } from './bounded-map.ts'
export { clockOffset, type Clock, clockWithOffset, systemClock, currentFileTime } from './clock.ts'
export { AgentConfig } from './config/agent-config.ts'
export {
  type AgentEntry,
  agentName,
  type AgentSettings,
  type Config,
  configJsonSchema,
  defaultAgentId,
  defaultWorkspace,
  expandHome,
  firstAgentNames,
  type McpServerSettings,
  type MemorySettings,
} from './config/config-schema.ts'
export { isKeyName, KeyRing, type KeyVault, unknownProvider } from './config/key-ring.ts'
export { parseConfig } from './config/parse-config.ts'
export { describeProblems, SettingsStore } from './config/settings-store.ts'
export { measureDataLocations } from './diagnostics/data-locations.ts'
export { commonEnds, compareLines } from './diff/compare-lines.ts'
export { mergeTexts, revertInText } from './diff/merge-texts.ts'
export { countLines, describeChange, formatHunks, hunkStatuses, type RevertStatus, withoutHunks } from './diff/patch.ts'
export { type Subscribable, EventEmitter, streamProgress } from './events.ts'
export { copyDamaged, damagedPath, readOrSetAside, renameDamaged } from './fs/damaged-file.ts'
export {
  appendDurably,
  makeFolder,
  syncFile,
  syncFolder,
  temporaryPath,
  withFile,
  writeDurably,
  writeDurablyPrivate,
  scheduleCleanup,
  toWriteError,
} from './fs/durable-write.ts'
export { FileLock } from './fs/file-lock.ts'
export { lockFolder, lockForName, Mutex, runExclusively } from './fs/mutex.ts'
export {
  forgetPartNames,
  gunzipAsync,
  gzipAsync,
  type PartRules,
  readWithParts,
  writeWithParts,
} from './fs/part-store.ts'
export { decodeAs, parseStored, readIfExists, readSmallText } from './fs/read-file.ts'
export { inBatches, KeyedQueue } from './fs/work-queue.ts'
export { type Log, openLog, redact } from './logging/log.ts'
export {
  boundedFetch,
  type Fetch,
  isWithinDepthLimit,
  parseRetryAfter,
  redirectError,
  redirectTarget,
  toPlainLine,
} from './net/bounded-fetch.ts'
export { Outbound, requestChat, type RequestOrigin } from './net/outbound.ts'
export { proxyFetch, proxyFor, unlimitedFetch } from './net/proxy-fetch.ts'
export { RemoteImages } from './net/remote-picture.ts'
export { OpenQuestions } from './open-questions.ts'
export { TokenBucket } from './token-bucket.ts'
export { appVersion } from './version.ts'
export {
  convertErrors,
  fromOrpcError,
  lowerThreadPriority,
  serveWorker,
  sharedBuffers,
  toOrpcError,
  workerEntry,
  type WorkerJobs,
} from './workers/serve-worker.ts'
export { runInWorker, ThreadEndedError, type WorkerClient, WorkerHost } from './workers/worker-host.ts'
