export { Chat } from './chat.ts'
export { MessageQueue } from './queue.ts'
