/** The contract, implemented by calling modules. No logic of its own but translating failures. */
import { implement, ORPCError, ValidationError } from '@orpc/server'
import { contract, type FileEntry } from '../shared/contract/index.ts'
import { AppError } from '../shared/errors.ts'
import type { Agent } from './agents/index.ts'
import type { App } from './app.ts'
import { sessionEvents } from './sessions/index.ts'
import { defaultWorkspace } from './settings/index.ts'
import { dailyLogDate, fileKind } from './workspace/index.ts'

export const appVersion = '0.1.0'

export function createRouter(app: App) {
  const os = implement(contract).use(async ({ next, path }) => {
    try {
      return await next()
    } catch (error) {
      throw toWire(error, app, path.join('.'))
    }
  })
  const agent = ({ agent: id }: { agent: string }) => app.agents.get(id)

  return os.router({
    agents: {
      list: os.agents.list.handler(() => app.agents.list()),
      setUp: os.agents.setUp.handler(({ input }) => app.agents.setUp(input.agent, input.workspace, input.locale)),
    },
    files: {
      list: os.files.list.handler(async ({ input, signal }) => listFiles(await agent(input), signal)),
      read: os.files.read.handler(async ({ input }) => {
        const { text, hash } = await (await agent(input)).workspace.read(input.path)
        return { path: input.path, text, hash, readOnly: false }
      }),
      write: os.files.write.handler(async ({ input }) => {
        const { workspace } = await agent(input)
        const expected = { hash: input.expectedHash, baseText: input.baseText }
        const { write, text, merged } = await workspace.save(input.path, input.text, expected)
        return { hash: write.hash, text, merged }
      }),
      undo: os.files.undo.handler(async ({ input }) => {
        const { hash } = await (await agent(input)).workspace.undo(input.path, input.patch, 'user')
        return { hash }
      }),
      remember: os.files.remember.handler(async ({ input }) => {
        const { path, startLine, endLine } = await (
          await agent(input)
        ).workspace.remember(input.text, app.now(), 'capture')
        return { path, startLine, endLine }
      }),
    },
    search: {
      query: os.search.query.handler(async ({ input, signal }) =>
        (await agent(input)).memory.search(input.query, input.options, signal),
      ),
      explain: os.search.explain.handler(async ({ input, signal }) =>
        (await agent(input)).memory.explain(input.query, input.options, input.why, signal),
      ),
      status: os.search.status.handler(async ({ input }) => (await agent(input)).memory.status()),
      reindex: os.search.reindex.handler(async ({ input, signal }) => (await agent(input)).memory.reindex(signal)),
    },
    sessions: {
      list: os.sessions.list.handler(async ({ input }) => (await agent(input)).sessions.list()),
      get: os.sessions.get.handler(async ({ input }) => {
        const { sessions } = await agent(input)
        const transcript = await sessions.get(input.session)
        const summary = await sessions.summary(input.session)
        if (!summary)
          throw new AppError('unknown_session', 'this conversation does not exist any more', { session: input.session })
        return {
          summary,
          messages: transcript.messages(),
          events: sessionEvents(transcript.branch()),
          skippedLines: [...transcript.skippedLines],
        }
      }),
    },
    chat: {
      send: os.chat.send.handler(async ({ input }) => {
        const { session } = await (await agent(input)).chat.send(input.text, input.session, input.model)
        return { session }
      }),
      watch: os.chat.watch.handler(async ({ input, signal }) => (await agent(input)).chat.watch(input.session, signal)),
      stop: os.chat.stop.handler(async ({ input }) => ({ stopped: (await agent(input)).chat.stop(input.session) })),
      models: os.chat.models.handler(({ input }) => app.models.list(app.agents.settingsOf(input.agent).model)),
    },
    context: {
      request: os.context.request.handler(async ({ input }) =>
        (await agent(input)).sessions.request(input.session, input.number),
      ),
      report: os.context.report.handler(async ({ input }) => (await agent(input)).chat.report(input.session)),
    },
    settings: {
      get: os.settings.get.handler(() => ({
        file: app.settings.file,
        firstRun: app.agents.isFirstRun,
        suggestedWorkspace: defaultWorkspace('main'),
        appearance: app.settings.config.interface,
        problems: [...app.settings.problems],
      })),
      setAppearance: os.settings.setAppearance.handler(async ({ input }) => {
        await app.settings.set(...Object.entries(input).map(([key, value]) => [['interface', key], value] as const))
        return app.settings.config.interface
      }),
      setModel: os.settings.setModel.handler(async ({ input }) => {
        await app.agents.setModel(input.agent, input.model)
        return { model: input.model }
      }),
    },
    events: {
      subscribe: os.events.subscribe.handler(async function* ({ signal }) {
        const events = app.events.subscribe('event', signal ? { signal } : {})
        yield { type: 'hello' as const, version: appVersion }
        yield* events
      }),
    },
  })
}

export type AppRouter = ReturnType<typeof createRouter>

async function listFiles({ workspace, memory }: Agent, signal: AbortSignal | undefined): Promise<FileEntry[]> {
  const [{ files }, counts] = await Promise.all([workspace.list(signal), memory.fileCounts()])
  const counted = new Map(counts.filter(({ source }) => source === 'memory').map((file) => [file.path, file]))
  return files.map(({ path, size, modifiedAt }) => {
    const date = dailyLogDate(path)
    return {
      path,
      kind: fileKind(path),
      ...(date === undefined ? {} : { date }),
      size,
      modifiedAt,
      words: counted.get(path)?.words ?? 0,
      tokens: counted.get(path)?.tokens ?? Math.ceil(size / 4),
    }
  })
}

/** Expected failures keep their code; a wrong request says what is wrong; all else gets a log reference. */
function toWire(error: unknown, app: App, path: string): unknown {
  if (error instanceof AppError)
    return new ORPCError(error.code, { message: error.message, data: error.data, cause: error })
  if (error instanceof ORPCError && error.code === 'BAD_REQUEST' && error.cause instanceof ValidationError) {
    const reason = error.cause.issues.map((issue) => issue.message).join('; ')
    return new ORPCError('input_invalid', {
      message: `the request is not right: ${reason}`,
      data: { reason },
      cause: error,
    })
  }
  if (error instanceof ORPCError) return error
  if (error instanceof Error && error.name === 'AbortError') return error
  const reference = app.log.fault(error, path)
  return new ORPCError('internal', {
    message: `something went wrong (log reference ${reference})`,
    data: { reference },
    cause: error,
  })
}
