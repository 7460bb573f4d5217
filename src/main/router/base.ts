/** What the routes of every domain begin with: failures in the contract's words, and the agent that a request names. */
import { implement } from '@orpc/server'
import { contract } from '../../shared/contract/index.ts'
import type { App } from '../app.ts'
import { toWire } from './failures.ts'

export function routerBase(app: App) {
  const implementer = implement(contract)
  const os = implementer.use(async ({ next, path }) => {
    try {
      return await next()
    } catch (error) {
      throw toWire(error, app.log, path.join('.'))
    }
  })
  /** Opens the agent that the request names. */
  const agent = implementer.middleware(async ({ next }, { agent: id }: { readonly agent: string }) =>
    next({ context: { agent: await app.agents.get(id) } }),
  )
  return { app, os, agent }
}

export type RouterBase = ReturnType<typeof routerBase>
