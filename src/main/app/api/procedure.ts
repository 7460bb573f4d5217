import { ORPCError, ValidationError, implement } from '@orpc/server'
import { AppError } from '#shared/util/errors.ts'
import type { Log } from '#platform'
import { contract } from '#shared/contract/index.ts'
import type { App } from '../composition/create-app.ts'

function describeTooLong(issues: ValidationError['issues']) {
  for (const issue of issues) {
    const { code, origin, maximum } = issue as { code?: unknown; origin?: unknown; maximum?: unknown }
    if (code !== 'too_big' || typeof maximum !== 'number' || (origin !== 'string' && origin !== 'array')) continue
    const field = (issue.path ?? []).map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
    const unit = origin === 'string' ? 'characters' : 'entries'
    const message = `${field} is too long: the limit is ${maximum.toLocaleString('en')} ${unit}`
    return { message, data: { field, limit: maximum } }
  }
  return undefined
}

function wireErrorOf(error: unknown, log: Log, path: string): unknown {
  if (error instanceof AppError)
    return new ORPCError(error.code, { message: error.message, data: error.data, cause: error })
  if (error instanceof ORPCError && error.code === 'BAD_REQUEST' && error.cause instanceof ValidationError) {
    const tooLong = describeTooLong(error.cause.issues)
    if (tooLong) return new ORPCError('input_too_long', { ...tooLong, cause: error })
    const reason = error.cause.issues.map((issue) => issue.message).join('; ')
    return new ORPCError('input_invalid', {
      message: `the request is invalid: ${reason}`,
      data: { reason },
      cause: error,
    })
  }
  if (error instanceof ORPCError) return error
  if (error instanceof Error && error.name === 'AbortError') return error
  const reference = log.fault(error, path)
  return new ORPCError('internal', {
    message: `something went wrong (log reference ${reference})`,
    data: { reference },
    cause: error,
  })
}

export function routerBase(app: App) {
  const implementer = implement(contract)
  const os = implementer.use(async ({ next, path }) => {
    const toWireError = (error: unknown) => wireErrorOf(error, app.log, path.join('.'))
    try {
      const result = await next()
      return isIterator(result.output) ? { ...result, output: withWireErrors(result.output, toWireError) } : result
    } catch (error) {
      throw toWireError(error)
    }
  })
  const agent = implementer.middleware(async ({ next }, { agent: id }: { readonly agent: string }) =>
    next({ context: { agent: await app.agents.get(id) } }),
  )
  return { app, os, agent }
}

export type RouterBase = ReturnType<typeof routerBase>

function isIterator(output: unknown): output is AsyncGenerator {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output
}

async function* withWireErrors(generator: AsyncGenerator, toWireError: (error: unknown) => unknown): AsyncGenerator {
  try {
    yield* generator
  } catch (error) {
    throw toWireError(error)
  }
}
