import type { ContractProcedure, ErrorMap, InferSchemaInput, InferSchemaOutput, Meta } from '@orpc/contract'
import { ORPCError, type Router, type UnlaziedRouter, ValidationError, implement } from '@orpc/server'
import { isAbort } from '#shared/util/errors.ts'
import { convertErrors, ThreadEndedError, type Log } from '#platform'
import { contract } from '#shared/contract/index.ts'
import type { VisibleMemory } from '#agent'
import type { OpenAgent } from '../agents/agent.ts'
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
  if (error instanceof ThreadEndedError) return new ORPCError('owner_gone', { message: error.message, cause: error })
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
  if (error instanceof Error && isAbort(error)) return error
  const reference = log.fault(error, path)
  return new ORPCError('internal', {
    message: `something went wrong (log reference ${reference})`,
    data: { reference },
    cause: error,
  })
}

type Contract = typeof contract

type Handler<Input, Output> = (options: {
  readonly input: Input
  readonly signal?: AbortSignal | undefined
}) => Output | PromiseLike<Output>

type Handlers<Procedures> = {
  readonly [Name in keyof Procedures]: Procedures[Name] extends ContractProcedure<
    infer Input,
    infer Output,
    ErrorMap,
    Meta
  >
    ? Handler<InferSchemaOutput<Input>, InferSchemaInput<Output>>
    : never
}

export interface RouterBase {
  readonly app: App
  /** Handles a request with the agent that its input names. */
  readonly forAgent: <Input extends { readonly agent: string }, Output>(
    work: (agent: OpenAgent, input: Input, signal: AbortSignal | undefined) => Output | PromiseLike<Output>,
  ) => Handler<Input, Output>
}

export type Routes<Group extends keyof Contract> = (base: RouterBase) => Handlers<Contract[Group]>

export type AppRouter = UnlaziedRouter<Router<Contract, Record<never, never>>>

/** Connects each handler with its procedure of the contract. Untyped inside: `Routes` has checked the types. */
export function implementRoutes(app: App, routes: { readonly [Group in keyof Contract]: Routes<Group> }): AppRouter {
  const implementers = implement(contract).use(({ next, path }) =>
    convertErrors(next, (error) => wireErrorOf(error, app.log, path.join('.'))),
  ) as unknown as Record<string, Record<string, { handler: (handler: Handler<never, unknown>) => unknown }>>
  const forAgent: RouterBase['forAgent'] = (work) => {
    return async ({ input, signal }) => work(await app.agents.get(input.agent), input, signal)
  }
  const router = Object.entries(routes).map(([group, routesOf]) => {
    const handlers: [string, Handler<never, unknown>][] = Object.entries(routesOf({ app, forAgent }))
    const procedures = handlers.map(([name, handler]) => [name, implementers[group]?.[name]?.handler(handler)])
    return [group, Object.fromEntries(procedures)]
  })
  return Object.fromEntries(router) as AppRouter
}

/**
 * Returns what a requester sees of an agent.
 * @param requester false for the user, the id of a program, or true for an unknown program
 * @throws AppError `folder_gone` for a program if the agent has no folder: it must not report missing notes
 */
export async function visibleFor(
  { clients }: Pick<App, 'clients'>,
  agent: OpenAgent,
  requester: boolean | string,
  isCompared = false,
): Promise<VisibleMemory> {
  const memory = isCompared ? agent.comparison : agent.memory
  if (requester === false) return agent.visibleTo({ seesPrivate: true }, memory)
  await agent.workspace.assertExists()
  const seesPrivate = typeof requester === 'string' && (await clients.hasFullAccess(requester))
  return agent.visibleTo({ seesPrivate, isProgram: true }, memory)
}
