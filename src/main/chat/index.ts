export { Chat } from './chat.ts'
export { loadPrompts } from './keeping/prompts.ts'
export { toolDefinitions } from './tools/index.ts'
