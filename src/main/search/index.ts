export { transcriptText } from './indexing/transcript-text.ts'
export { Memory } from './service/memory.ts'
