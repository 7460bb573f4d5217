export { decodeAs } from './decode-as.ts'
export { inBatches } from './batches.ts'
export { copyAside, readKept, setAside } from './damaged.ts'
export { DraftFolder, type KeptDraft } from './draft-folder.ts'
export { Exclusive, realName } from './exclusive.ts'
export { writeFailure } from './failure.ts'
export { makeFolder } from './folder.ts'
export { tidyFolder, tidyLater, type Tidied } from './left-overs.ts'
export { FileLock, LockBusyError } from './lock.ts'
export { lockFolder, lockOf } from './lock-folder.ts'
export { Queue } from './queue.ts'
export { readIfThere, readSmallText } from './read.ts'
export {
  appendDurably,
  isLeftOver,
  syncFile,
  syncFolder,
  temporaryBeside,
  writeDurably,
  writePrivately,
  writeWhole,
} from './write.ts'
export { ageOf } from './time.ts'
