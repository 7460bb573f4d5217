export { AnswerDraft, type ChatModel, type ModelRequest, type ToolDefinition } from './model.ts'
export { Models } from './models.ts'
