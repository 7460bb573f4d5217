export { Chat } from './chat.ts'
export { toolDefinitions } from './tools/index.ts'
