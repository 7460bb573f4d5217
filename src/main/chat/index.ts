export { Chat } from './chat.ts'
export { LearnedWindows } from './learned-windows.ts'
export { MessageQueue } from './queue.ts'
