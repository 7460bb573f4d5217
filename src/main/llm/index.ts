export { noteOf, parseIntent, requestedNote } from './offline/intent.ts'
export { isDisclaimer } from './offline/sentences.ts'
export { assertModelId } from './catalog/catalog.ts'
export { isTransient, objectSchema } from './middleware/provider-failures.ts'
export {
  AnswerDraft,
  argumentsTooLong,
  complete,
  questionRequest,
  type ChatModel,
  type ModelRequest,
  type Question,
  type ThinkingEffort,
  type ToolDefinition,
} from './model.ts'
export { Models } from './models.ts'
export { withoutAdditions, withoutRefused, withoutTimestamp } from './offline/distill-notes.ts'
export { summarizeStatements } from './offline/summarize-statements.ts'
export { type Sentences } from './offline/sentences.ts'
export { UsageStore } from './usage/usage-store.ts'
