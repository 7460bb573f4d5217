export { blobId, blobOf } from './blob-id.ts'
export { Differ } from './differ.ts'
export { mergeTexts } from './merge.ts'
