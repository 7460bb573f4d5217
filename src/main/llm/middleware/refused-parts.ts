import { AppError } from '#shared/util/errors.ts'
import type { ChatModel } from '../model.ts'

/** Returns the JSON Schema of an object with all of these properties, in the form that every provider accepts. */
export function objectSchema(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

const refusedSchemas = new Set<string>()

/** Repeats a request without its schema if the server refuses it. @param server its address */
export function withAnswerSchema(model: ChatModel, server = ''): ChatModel {
  return {
    ...model,
    async *stream({ answerSchema, ...request }, signal) {
      // Some servers refuse a schema beside tools only.
      const key = `${server} ${model.id} ${request.tools.length > 0}`
      if (answerSchema && !refusedSchemas.has(key)) {
        try {
          return yield* model.stream({ ...request, answerSchema }, signal)
        } catch (error) {
          if (!isRefusal(error)) throw error
        }
        for await (const event of model.stream(request, signal)) {
          // Without the schema, the same request was accepted.
          refusedSchemas.add(key)
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

const refusedTools = new Set<string>()

const keyOf = (baseUrl: string, model: string) => `${baseUrl.replace(/\/+$/, '')} ${model}`

export const recordRefusedTools = (baseUrl: string, model: string) => refusedTools.add(keyOf(baseUrl, model))

export const hasRefusedTools = (baseUrl: string, model: string) => refusedTools.has(keyOf(baseUrl, model))
