export { ageOf, type Clock, clockWithOffset, systemClock } from './clock.ts'
export { AgentConfig } from './config/agent-config.ts'
export { type AgentSettings, defaultAgentId, expandHome } from './config/config-schema.ts'
export { KeyRing, type KeyVault } from './config/key-ring.ts'
export { SettingsStore } from './config/settings-store.ts'
export { measureDataLocations } from './diagnostics/data-locations.ts'
export { commonEnds, compareLines } from './diff/compare-lines.ts'
export { Differ } from './diff/differ.ts'
export { countLines, describeChange, formatHunks, hunkStatuses } from './diff/patch.ts'
export { BatchEmitter, streamProgress } from './events.ts'
export { EventEmitter, type Subscribable } from '#shared/util/events.ts'
export {
  appendDurably,
  makeFolder,
  syncFile,
  syncFolder,
  temporaryPath,
  withFile,
  writeDurably,
  scheduleCleanup,
  toWriteError,
} from './fs/durable-write.ts'
export { FileLock, Mutex } from './fs/mutex.ts'
export {
  damagedPath,
  decodeAs,
  parseStored,
  readIfExists,
  readOrSetAside,
  readRows,
  readSmallText,
} from './fs/read-file.ts'
export { inBatches, KeyedQueue } from './fs/work-queue.ts'
export { type Log, openLog, redact } from './logging/log.ts'
export {
  boundedFetch,
  type Fetch,
  isWithinDepthLimit,
  parseRetryAfter,
  redirectError,
  toPlainLine,
} from './net/bounded-fetch.ts'
export { Outbound } from './net/outbound.ts'
export { proxyFetch, proxyFor, unlimitedFetch } from './net/bounded-fetch.ts'
export { openRemoteImages } from './net/remote-picture.ts'
export { OpenQuestions } from './open-questions.ts'
export { tokenBucket } from './token-bucket.ts'
export { appVersion } from './version.ts'
export {
  convertErrors,
  fromOrpcError,
  serveWorker,
  sharedBuffers,
  workerEntry,
  type WorkerJobs,
} from './workers/serve-worker.ts'
export { runInWorker, ThreadEndedError, type WorkerClient, WorkerHost } from './workers/worker-host.ts'
