export { ask } from './ask.ts'
export { assertModelId } from './catalog.ts'
export { isPassing } from './failures.ts'
export { nothingHeld, ownWordsOf, withheldMessages, holdsLocal, type Look } from './gated.ts'
export { Ledger } from './ledger.ts'
export {
  AnswerDraft,
  anthropicMemoryTool,
  argumentsTooLong,
  hasMemoryTool,
  type ChatModel,
  type ModelRequest,
  type ThinkingEffort,
  type ToolDefinition,
} from './model.ts'
export { Models } from './models.ts'
export { withoutRefused, type Sentences } from './offline/index.ts'
export { type Purpose } from './purpose.ts'
