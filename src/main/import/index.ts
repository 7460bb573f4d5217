export { Importer } from './importer.ts'
export { findMemories } from './known-memories.ts'
