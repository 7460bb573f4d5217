export { Importer } from './importer.ts'
export { findMemories } from './known-memories.ts'
export { foreignSettings, foreignSettingsOf } from './foreign-settings.ts'
