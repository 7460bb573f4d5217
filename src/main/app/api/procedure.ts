import { ORPCError, ValidationError, implement } from '@orpc/server'
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

export function routerBase(app: App) {
  const implementer = implement(contract)
  const os = implementer.use(({ next, path }) =>
    convertErrors(next, (error) => wireErrorOf(error, app.log, path.join('.'))),
  )
  return { app, os, ...agentProcedures(app) }
}

interface Procedure<Input, Output, Implemented> {
  readonly handler: (handler: Handler<Input, Output>) => Implemented
}

type Handler<Input, Output> = (options: {
  readonly input: Input
  readonly signal?: AbortSignal
}) => Output | PromiseLike<Output>

type AgentWork<Input, Output> = (
  agent: OpenAgent,
  input: NoInfer<Input>,
  signal: AbortSignal | undefined,
) => Output | PromiseLike<Output>

type Nothing = Record<string, never>

/** Implements a procedure that returns nothing. */
export function perform<Input, Implemented>(
  procedure: Procedure<Input, Nothing, Implemented>,
  work: (input: NoInfer<Input>) => unknown,
): Implemented {
  return procedure.handler(async ({ input }) => {
    await work(input)
    return {}
  })
}

function agentProcedures({ agents }: App) {
  /** Implements a procedure with the agent that its input names. */
  const forAgent = <Input extends { readonly agent: string }, Output, Implemented>(
    procedure: Procedure<Input, Output, Implemented>,
    work: AgentWork<Input, NoInfer<Output>>,
  ): Implemented => procedure.handler(async ({ input, signal }) => work(await agents.get(input.agent), input, signal))
  /** Like `forAgent`, for a procedure that returns nothing. */
  const doForAgent = <Input extends { readonly agent: string }, Implemented>(
    procedure: Procedure<Input, Nothing, Implemented>,
    work: AgentWork<Input, unknown>,
  ): Implemented =>
    forAgent(procedure, async (agent, input, signal) => {
      await work(agent, input, signal)
      return {}
    })
  return { forAgent, doForAgent }
}

export type RouterBase = ReturnType<typeof routerBase>

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
