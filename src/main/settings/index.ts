export { AgentConfig } from './agent-config.ts'
export { isKeyName, KeyRing, unknownProvider, type KeyVault } from './keys.ts'
export { parseConfig } from './parse.ts'
export { describeProblems, SettingsStore } from './store.ts'
export {
  configJsonSchema,
  defaultWorkspace,
  expandHome,
  type AgentEntry,
  type AgentSettings,
  type Config,
  type McpServerSettings,
  type MemorySettings,
} from './schema.ts'
