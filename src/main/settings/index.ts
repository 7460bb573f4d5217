export { isKeyName, KeyRing } from './keys.ts'
export { parseConfig } from './parse.ts'
export { describeProblems, SettingsStore } from './store.ts'
export {
  defaultWorkspace,
  expandHome,
  type AgentEntry,
  type AgentSettings,
  type Config,
  type McpServerSettings,
  type MemorySettings,
} from './schema.ts'
