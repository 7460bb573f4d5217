export type { Agent } from './agent.ts'
export { Agents } from './agents.ts'
export { defaultStateHome, stateFolders } from './folders.ts'
