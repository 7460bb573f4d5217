/** What the routes of every domain begin with: failures in the contract's words, and the agent that a request names. */
import { implement } from '@orpc/server'
import { contract } from '#shared/contract/index.ts'
import type { App } from '../composition/create-app.ts'
import { toWire } from './map-failures.ts'

export function routerBase(app: App) {
  const implementer = implement(contract)
  const os = implementer.use(async ({ next, path }) => {
    const failure = (error: unknown) => toWire(error, app.log, path.join('.'))
    try {
      const result = await next()
      return isIterator(result.output) ? { ...result, output: failingAs(result.output, failure) } : result
    } catch (error) {
      throw failure(error)
    }
  })
  /** Opens the agent that the request names. */
  const agent = implementer.middleware(async ({ next }, { agent: id }: { readonly agent: string }) =>
    next({ context: { agent: await app.agents.get(id) } }),
  )
  return { app, os, agent }
}

export type RouterBase = ReturnType<typeof routerBase>

function isIterator(output: unknown): output is AsyncGenerator {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output
}

/** What fails in the middle of a stream is told as what fails at its beginning. */
async function* failingAs(steps: AsyncGenerator, failure: (error: unknown) => unknown): AsyncGenerator {
  try {
    yield* steps
  } catch (error) {
    throw failure(error)
  }
}
