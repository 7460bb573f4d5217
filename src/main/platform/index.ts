export { aheadOf, type Clock, clockAhead, systemClock } from './clock.ts'
export type { MemorySettings } from './config/config-schema.ts'
export { blobId, blobOf } from './diff/blob-id.ts'
export { compareLines } from './diff/compare-lines.ts'
export { Differ } from './diff/differ.ts'
export { mergeTexts } from './diff/merge-texts.ts'
export { countLines, describeChange, reversed } from './diff/patch.ts'
export { type Standing, standingsOf } from './diff/revert-status.ts'
export { type Announcements, Changes } from './events.ts'
export { inBatches } from './fs/batches.ts'
export { copyAside, readKept, setAside } from './fs/damaged-file.ts'
export { decodeAs } from './fs/decode-as.ts'
export { DraftFolder, type KeptDraft } from './fs/draft-folder.ts'
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
export { lockOf } from './fs/lock-folder.ts'
export { makeFolder } from './fs/make-folder.ts'
export { Exclusive, realName } from './fs/mutex.ts'
export { readIfThere, readSmallText } from './fs/read-file.ts'
export { type Tidied, tidyFolder, tidyLater } from './fs/temp-file-cleanup.ts'
export { KeptUndos } from './fs/undo-store.ts'
export { Queue } from './fs/work-queue.ts'
export { writeFailure } from './fs/write-failure.ts'
export { redact } from './logging/log.ts'
export { boundedFetch } from './net/bounded-fetch.ts'
export { plainWords } from './net/plain-text.ts'
export { redirected, redirectTarget } from './net/redirects.ts'
export { retryAfterOf } from './net/retry-after.ts'
export { serveThread, threadBase } from './workers/serve-worker.ts'
export { withoutForms } from './workers/skip-formdata-loading.ts'
export { startThread, type Thread } from './workers/worker-client.ts'
export { fromOrpcError } from './workers/worker-errors.ts'
export { searcherYoungMb, sharedMemory, shareWithThreads, threadFile } from './workers/worker-prestart.ts'
export { yieldToOthers } from './workers/yield.ts'
