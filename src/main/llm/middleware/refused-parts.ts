import { AppError } from '#shared/util/errors.ts'
import type { ChatModel } from '../model.ts'

/** Returns the JSON Schema of an object with all of these properties, in the form that every provider accepts. */
export function objectSchema(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** Part of a request that a server can refuse. */
type Part = 'schema' | 'schema beside tools' | 'tools' | 'usage' | 'thinking' | 'partial thinking'

const refused = new Set<string>()

const keyOf = (server: string, model: string, part: Part) => `${server.replace(/\/+$/, '')} ${model} ${part}`

export const recordRefusal = (server: string, model: string, part: Part) => refused.add(keyOf(server, model, part))

export const hasRefused = (server: string, model: string, part: Part) => refused.has(keyOf(server, model, part))

/** Repeats a request without its schema if the server refuses it. @param server its address */
export function withAnswerSchema(model: ChatModel, server = ''): ChatModel {
  return {
    ...model,
    async *stream({ answerSchema, ...request }, signal) {
      const part = request.tools.length > 0 ? 'schema beside tools' : 'schema'
      if (answerSchema && !hasRefused(server, model.id, part)) {
        try {
          return yield* model.stream({ ...request, answerSchema }, signal)
        } catch (error) {
          if (!isRefusal(error)) throw error
        }
        for await (const event of model.stream(request, signal)) {
          // Without the schema, the same request was accepted.
          recordRefusal(server, model.id, part)
          yield event
        }
      } else yield* model.stream(request, signal)
    },
  }
}

/** llama.cpp refuses a schema with status 500. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code === 'context_overflow') return false
  const { status } = error.data
  const isMalformed = status === 400 || status === 404 || status === 422
  return isMalformed || /response_format|json_schema|output_config|grammar|structured output/i.test(error.message)
}
