/** Failures that repeat no key, whatever a server puts into what it says of a request. */
import { AppError } from '#shared/util/errors.ts'
import type { KeyRing } from '#platform'
import type { ChatModel } from '../model.ts'

/** The same model, whose failures repeat no key: servers put what they were sent into what they say of it. */
export function withoutSecrets(model: ChatModel, keys: Pick<KeyRing, 'scrub'>): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      try {
        for await (const event of model.stream(request, signal))
          yield event.type === 'retry' ? { ...event, message: keys.scrub(event.message) } : event
      } catch (error) {
        throw error instanceof AppError ? scrubbed(error, keys) : error
      }
    },
  }
}

/** The failure, without what is secret. */
export function scrubbed({ code, message, data, cause }: AppError, keys: Pick<KeyRing, 'scrub'>): AppError {
  const clean = Object.entries(data).map(([name, value]) => [
    name,
    typeof value === 'string' ? keys.scrub(value) : value,
  ])
  const why = cause instanceof Error ? { cause: new Error(keys.scrub(cause.message)) } : undefined
  return new AppError(code, keys.scrub(message), Object.fromEntries(clean), why)
}
