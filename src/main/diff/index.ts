export { blobId } from './blob-id.ts'
export { Differ } from './differ.ts'
export { mergeTexts } from './merge.ts'
