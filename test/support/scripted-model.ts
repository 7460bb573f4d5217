import { AnswerDraft, type ChatModel, type ModelEvent } from '../../src/main/llm/model.ts'

/** A model of this machine. @param stream yields the events of an answer; `draft` is empty */
export function scriptedModel(
  stream: (draft: AnswerDraft, ...request: Parameters<ChatModel['stream']>) => AsyncIterable<ModelEvent>,
): ChatModel {
  const model: ChatModel = {
    id: 'local/m',
    provider: 'openai-compatible',
    model: 'm',
    contextWindow: 4096,
    maxOutput: 100,
    images: false,
    isLocal: true,
    stream: (...request) => stream(new AnswerDraft(model), ...request),
  }
  return model
}
