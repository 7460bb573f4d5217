/** What an answer may come to at most, whichever provider gives it; what came before stays. */
import { maxAnswer, maxParts } from '#shared/util/limits.ts'
import { failure } from './provider-failures.ts'
import type { ChatModel } from '../model.ts'

/** @throws AppError `provider_too_much` from the stream, past the limits */
export function withBounds(model: ChatModel): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      let characters = 0
      let parts = 0
      let last: string | undefined
      for await (const event of model.stream(request, signal)) {
        if (event.type === 'text' || event.type === 'thinking') {
          characters += event.delta.length
          if (event.type !== last) parts += 1
          last = event.type
          if (characters > maxAnswer || parts > maxParts) throw failure('provider_too_much', model.provider)
        }
        yield event
      }
    },
  }
}
