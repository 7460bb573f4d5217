export { Chat } from './chat.ts'
export { MessageQueue } from './queue.ts'
export { loadPrompts } from './keeping/prompts.ts'
export { definitionsOf, type Tool } from './tools/index.ts'
