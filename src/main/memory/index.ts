export { Memory } from './memory.ts'
export { threadEntries, type ThreadEntries } from './threads.ts'
export { evaluate, readQuestions } from './evaluate.ts'
