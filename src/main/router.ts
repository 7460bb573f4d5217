/** The contract, implemented by calling modules. No logic of its own but translating failures. */
import { implement, ORPCError, ValidationError } from '@orpc/server'
import { contract } from '../shared/contract/index.ts'
import { AppError } from '../shared/errors.ts'
import type { App } from './app.ts'
import { readLog } from './housekeeping/index.ts'
import { findMemories } from './import/index.ts'
import { sessionEvents, usageOfEntries } from './sessions/index.ts'
import { configJsonSchema, defaultWorkspace, isKeyName, parseConfig } from './settings/index.ts'
import { appVersion } from './version.ts'
import { findInFiles, replaceInFiles } from './workspace/index.ts'

/** Lines of the log that the settings show. */
const logLines = 500
/** A first look at a large folder may take a while; whoever asks to wait for it has time, ms. */
const settleMs = 10 * 60_000

export function createRouter(app: App) {
  const os = implement(contract).use(async ({ next, path }) => {
    try {
      return await next()
    } catch (error) {
      throw toWire(error, app, path.join('.'))
    }
  })
  const agent = ({ agent: id }: { agent: string }) => app.agents.get(id)
  const historyOf = async (input: { agent: string }) => {
    const { history } = await agent(input)
    if (!history) throw new AppError('history_off', 'the history is turned off (history.enabled)', {})
    return history
  }
  const meter = async (input: { agent: string }) => (await agent(input)).chat.meter

  return os.router({
    agents: {
      list: os.agents.list.handler(() => app.agents.list()),
      create: os.agents.create.handler(({ input }) => app.agents.create(input)),
      update: os.agents.update.handler(async ({ input: { agent: id, ...change } }) => {
        await app.agents.update(id, defined(change))
        return {}
      }),
      share: os.agents.share.handler(async ({ input }) => {
        await app.agents.share(input.agent, input.with)
        return {}
      }),
      setUp: os.agents.setUp.handler(({ input }) => app.agents.setUp(input.agent, input.workspace, input.locale)),
    },
    workspace: {
      list: os.workspace.list.handler(async ({ input, signal }) => (await agent(input)).listFiles(signal)),
      read: os.workspace.read.handler(async ({ input }) => {
        const { workspace } = await agent(input)
        const { text, hash } = await workspace.read(input.path)
        return { path: input.path, text, hash, readOnly: workspace.isReadOnly(input.path) }
      }),
      write: os.workspace.write.handler(async ({ input }) => {
        const { workspace } = await agent(input)
        const expected = { hash: input.expectedHash, baseText: input.baseText, onConflict: input.onConflict }
        const { write, text, merged } = await workspace.save(input.path, input.text, expected)
        return { hash: write.hash, text, merged }
      }),
      draft: os.workspace.draft.handler(async ({ input }) => (await agent(input)).fileDrafts.read(input.path)),
      saveDraft: os.workspace.saveDraft.handler(async ({ input }) => {
        await (await agent(input)).fileDrafts.save(input.path, input.draft)
        return {}
      }),
      move: os.workspace.move.handler(async ({ input }) => {
        await (await agent(input)).workspace.move(input.from, input.to, { cause: 'user' })
        return {}
      }),
      duplicate: os.workspace.duplicate.handler(async ({ input }) => ({
        path: await (await agent(input)).workspace.duplicate(input.path, { cause: 'user' }),
      })),
      remove: os.workspace.remove.handler(async ({ input }) => {
        const { trashed } = await (await agent(input)).workspace.remove(input.path, { cause: 'user' })
        return { trashed }
      }),
      restore: os.workspace.restore.handler(async ({ input }) => {
        const { path } = await (await agent(input)).workspace.restore(input.trashed, { cause: 'user' })
        return { path }
      }),
      reveal: os.workspace.reveal.handler(async ({ input }) => {
        const { workspace } = await agent(input)
        const file = input.open ? await workspace.locateNote(input.path) : await workspace.locate(input.path)
        await app.showFile(file, input.open)
        return {}
      }),
      find: os.workspace.find.handler(async ({ input, signal }) =>
        findInFiles((await agent(input)).workspace, input, signal),
      ),
      replace: os.workspace.replace.handler(async ({ input }) => ({
        changes: await replaceInFiles((await agent(input)).workspace, input, { cause: 'user' }),
      })),
      undo: os.workspace.undo.handler(async ({ input, signal }) => {
        const { workspace } = await agent(input)
        const { hash } = await workspace.undo(input.path, input.patch, { cause: 'user' }, signal)
        return { hash }
      }),
      remember: os.workspace.remember.handler(async ({ input }) => {
        const { workspace } = await agent(input)
        const origin = { cause: 'capture' as const }
        const { path, startLine, endLine, change } =
          input.section === undefined
            ? await workspace.remember(input.text, app.now(), origin)
            : await workspace.rememberIn(input.section, input.text, origin)
        const { patch } = change
        const note = (input.text.split('\n')[0] ?? '').slice(0, 80).toWellFormed()
        app.events.publish('event', { type: 'captured', agent: input.agent, path, startLine, patch, note })
        return { path, startLine, endLine, patch }
      }),
    },
    history: {
      timeline: os.history.timeline.handler(async ({ input }) => {
        const changes = await (await historyOf(input)).timeline(input)
        return changes.map(({ commit, at, cause, session, turn, file }) => ({
          commit,
          at,
          cause,
          ...(session === undefined ? {} : { session }),
          ...(turn === undefined ? {} : { turn }),
          path: file.path,
          ...(file.from === undefined ? {} : { from: file.from }),
          added: file.added,
          removed: file.removed,
          exists: file.after !== null,
        }))
      }),
      diff: os.history.diff.handler(async ({ input }) => (await historyOf(input)).diff(input.commit, input.path)),
      blame: os.history.blame.handler(async ({ input }) => (await historyOf(input)).blame(input.path)),
      restore: os.history.restore.handler(async ({ input }) => {
        const { workspace } = await agent(input)
        const { after } = await (await historyOf(input)).diff(input.commit, input.path)
        if (after === null) {
          const { write } = await workspace.remove(input.path, { cause: 'user' })
          return { hash: null, patch: (await workspace.describe(write)).patch }
        }
        const write = await workspace.write(input.path, after, { cause: 'user' })
        return { hash: write.hash, patch: (await workspace.describe(write)).patch }
      }),
    },
    import: {
      known: os.import.known.handler(() => findMemories()),
      plan: os.import.plan.handler(async ({ input }) => (await agent(input)).importer.plan(input.path, input.into)),
      run: os.import.run.handler(async ({ input }) => (await agent(input)).importer.run(input.path, input.into)),
      cancel: os.import.cancel.handler(async ({ input }) => {
        ;(await agent(input)).importer.cancel()
        return {}
      }),
      undo: os.import.undo.handler(async ({ input }) => {
        await (await agent(input)).importer.undo(input.paths)
        return {}
      }),
      pack: os.import.pack.handler(async ({ input }) => {
        const { importer, history } = await agent(input)
        if (!input.withHistory || !history) return importer.pack()
        await history.settle()
        return importer.pack(history.repository)
      }),
    },
    search: {
      query: os.search.query.handler(async ({ input, signal }) =>
        (await agent(input)).memory.search(input.query, input.options, signal),
      ),
      explain: os.search.explain.handler(async ({ input, signal }) =>
        (await agent(input)).memory.explain(input.query, input.options, input.why, signal),
      ),
      recalls: os.search.recalls.handler(async ({ input, signal }) => (await agent(input)).sessions.recalls(signal)),
      settings: os.search.settings.handler(({ input }) => app.agents.settingsOf(input.agent).memory.search),
      setSettings: os.search.setSettings.handler(({ input }) => app.agents.setSearch(input.agent, input.settings)),
      chunk: os.search.chunk.handler(({ input }) => app.agents.settingsOf(input.agent).memory.chunk),
      setChunk: os.search.setChunk.handler(({ input }) => app.agents.setChunk(input.agent, input.chunk)),
      rechunk: os.search.rechunk.handler(async ({ input, signal }) =>
        (await agent(input)).memory.rechunk(input.query, input.chunk, input.options, signal),
      ),
      status: os.search.status.handler(async ({ input }) => (await agent(input)).memory.status()),
      settle: os.search.settle.handler(async ({ input, signal }) => {
        const { memory } = await agent(input)
        const settled = await memory.settle(settleMs)
        const status = input.vectors ? await memory.settleVectors(() => undefined, signal) : await memory.status()
        return { settled, status, indexBytes: await memory.indexBytes() }
      }),
      reindex: os.search.reindex.handler(async ({ input, signal }) => (await agent(input)).memory.reindex(signal)),
    },
    checks: {
      list: os.checks.list.handler(async ({ input }) => (await agent(input)).checks.list()),
      add: os.checks.add.handler(async ({ input }) => (await agent(input)).checks.add(input.question)),
      remove: os.checks.remove.handler(async ({ input }) => ({
        removed: await (await agent(input)).checks.remove(input.id),
      })),
      run: os.checks.run.handler(async ({ input }) => (await agent(input)).checks.run('asked')),
      stop: os.checks.stop.handler(async ({ input }) => {
        ;(await agent(input)).checks.stop()
        return {}
      }),
      import: os.checks.import.handler(async ({ input }) => (await agent(input)).checks.import(input.text)),
      export: os.checks.export.handler(async ({ input }) => ({ text: await (await agent(input)).checks.export() })),
    },
    sessions: {
      list: os.sessions.list.handler(async ({ input }) => (await agent(input)).sessions.list()),
      get: os.sessions.get.handler(async ({ input }) => {
        const { sessions, chat } = await agent(input)
        const transcript = await sessions.get(input.session)
        const summary = await sessions.summary(input.session)
        if (!summary)
          throw new AppError('unknown_session', 'this conversation does not exist any more', { session: input.session })
        return {
          summary,
          messages: transcript.shownMessages(),
          events: sessionEvents(transcript.branch()),
          skippedLines: [...transcript.skippedLines],
          over: chat.isOver(transcript),
        }
      }),
      usage: os.sessions.usage.handler(async ({ input }) =>
        usageOfEntries((await (await agent(input)).sessions.get(input.session)).entries),
      ),
      find: os.sessions.find.handler(async ({ input, signal }) =>
        (await agent(input)).sessions.find(input.query, signal),
      ),
      rename: os.sessions.rename.handler(async ({ input }) => {
        await (await agent(input)).sessions.rename(input.session, input.name)
        return {}
      }),
      pin: os.sessions.pin.handler(async ({ input }) => {
        await (await agent(input)).sessions.pin(input.session, input.pinned)
        return {}
      }),
      remove: os.sessions.remove.handler(async ({ input }) => {
        await (await agent(input)).sessions.remove(input.session)
        return {}
      }),
      restore: os.sessions.restore.handler(async ({ input }) => {
        await (await agent(input)).sessions.restore(input.session)
        return {}
      }),
      export: os.sessions.export.handler(async ({ input }) =>
        (await agent(input)).sessions.export(input.session, input.format),
      ),
      fork: os.sessions.fork.handler(async ({ input }) => {
        return { session: await (await agent(input)).sessions.fork(input.session, input.entry, app.now()) }
      }),
      switchTo: os.sessions.switchTo.handler(async ({ input }) => {
        await (await agent(input)).chat.switchTo(input.session, input.entry)
        return {}
      }),
      deleteFrom: os.sessions.deleteFrom.handler(async ({ input }) => {
        await (await agent(input)).chat.deleteFrom(input.session, input.entry)
        return {}
      }),
      undelete: os.sessions.undelete.handler(async ({ input }) => {
        await (await agent(input)).chat.undelete(input.session, input.entry)
        return {}
      }),
      draft: os.sessions.draft.handler(async ({ input }) => (await agent(input)).drafts.read(input.session)),
      saveDraft: os.sessions.saveDraft.handler(async ({ input }) => {
        await (await agent(input)).drafts.save(input.session, input.draft)
        return {}
      }),
    },
    chat: {
      send: os.chat.send.handler(async ({ input }) => {
        const { session, queued } = await (await agent(input)).chat.send(input)
        return { session, queued }
      }),
      retry: os.chat.retry.handler(async ({ input }) => {
        await (await agent(input)).chat.retry(input.session, input.message, input.model)
        return {}
      }),
      resume: os.chat.resume.handler(async ({ input }) => {
        await (await agent(input)).chat.resume(input.session)
        return {}
      }),
      watch: os.chat.watch.handler(async ({ input, signal }) => (await agent(input)).chat.watch(input.session, signal)),
      stop: os.chat.stop.handler(async ({ input }) => ({ stopped: (await agent(input)).chat.stop(input.session) })),
      unqueue: os.chat.unqueue.handler(async ({ input }) => {
        await (await agent(input)).chat.unqueue(input.session, input.id)
        return {}
      }),
      sendQueued: os.chat.sendQueued.handler(async ({ input }) => {
        await (await agent(input)).chat.sendQueued(input.session)
        return {}
      }),
      permit: os.chat.permit.handler(async ({ input }) => {
        ;(await agent(input)).chat.permit(input.id, input.decision)
        return {}
      }),
      models: os.chat.models.handler(({ input }) =>
        app.models.list(app.agents.settingsOf(input.agent).model, input.fresh),
      ),
    },
    context: {
      request: os.context.request.handler(async ({ input }) =>
        (await agent(input)).sessions.request(input.session, input.number),
      ),
      report: os.context.report.handler(async ({ input }) => (await meter(input)).report(input.session, input.step)),
      timeline: os.context.timeline.handler(async ({ input }) => (await meter(input)).timeline(input.session)),
      event: os.context.event.handler(async ({ input }) => (await meter(input)).event(input.session, input.id)),
      text: os.context.text.handler(async ({ input }) => ({
        text: await (await meter(input)).text(input.session, input.number, input.layer, input.name),
      })),
      difference: os.context.difference.handler(async ({ input }) => ({
        changes: await (await meter(input)).difference(input.session, input.from, input.to),
      })),
      whatIf: os.context.whatIf.handler(async ({ input }) => (await meter(input)).whatIf(input.session, input.change)),
    },
    health: {
      problems: os.health.problems.handler(({ input }) => app.health.problems(input.agent)),
      tryAgain: os.health.tryAgain.handler(async ({ input }) => {
        await (await agent(input)).memory.tryProvider()
        return {}
      }),
    },
    survey: {
      run: os.survey.run.handler(async ({ input, signal }) => (await agent(input)).survey(signal)),
    },
    settings: {
      get: os.settings.get.handler(() => ({
        file: app.settings.file,
        firstRun: app.agents.isFirstRun,
        suggestedWorkspace: defaultWorkspace('main'),
        appearance: app.settings.config.interface,
        problems: [...app.settings.problems],
        shortcuts: app.settings.config.shortcuts,
      })),
      source: os.settings.source.handler(async () => ({
        file: app.settings.file,
        text: await app.settings.source(),
        written: app.settings.written(),
        inForce: app.settings.config,
        schema: configJsonSchema(),
      })),
      check: os.settings.check.handler(({ input }) => {
        const parsed = parseConfig(input.text)
        return parsed.ok ? [] : [...parsed.problems]
      }),
      save: os.settings.save.handler(({ input }) => app.settings.save(input.text, input.baseText)),
      set: os.settings.set.handler(async ({ input }) => {
        await app.settings.set([input.path, input.reset ? undefined : input.value])
        return {}
      }),
      locations: os.settings.locations.handler(() => app.locations()),
      log: os.settings.log.handler(() => readLog(app.log.file, logLines)),
      diagnostics: os.settings.diagnostics.handler(async () => ({ text: await app.diagnostics() })),
      setAppearance: os.settings.setAppearance.handler(async ({ input }) => {
        await app.settings.set(...Object.entries(input).map(([key, value]) => [['interface', key], value] as const))
        return app.settings.config.interface
      }),
      setModel: os.settings.setModel.handler(async ({ input }) => {
        await app.agents.setModel(input.agent, input.model)
        return { model: input.model }
      }),
      providers: os.settings.providers.handler(() => app.models.providers()),
      setKey: os.settings.setKey.handler(async ({ input }) => {
        if (!isKeyName(input.provider)) throw unknownProvider(input.provider)
        await app.keys.give(input.provider, input.key)
        app.events.publish('event', { type: 'settingsChanged' })
        return {}
      }),
      setBaseUrl: os.settings.setBaseUrl.handler(async ({ input }) => {
        if (!isKeyName(input.provider)) throw unknownProvider(input.provider)
        await app.settings.set([['providers', input.provider, 'baseUrl'], input.baseUrl ?? undefined])
        return {}
      }),
      testProvider: os.settings.testProvider.handler(async ({ input }) => ({
        models: await app.models.test(input.provider),
      })),
      usage: os.settings.usage.handler(async () => ({
        months: await app.ledger.months(),
        spending: await app.ledger.spending(),
      })),
      setSpendingLimit: os.settings.setSpendingLimit.handler(async ({ input }) => {
        await app.settings.set([['spending', 'monthlyLimit'], input.limit])
        app.events.publish('event', { type: 'usageChanged' })
        return {}
      }),
      mcpServers: os.settings.mcpServers.handler(() => app.mcp.status()),
      startMcpServer: os.settings.startMcpServer.handler(async ({ input }) => {
        await app.mcp.start(input.name)
        return {}
      }),
      setMcpPermission: os.settings.setMcpPermission.handler(async ({ input }) => {
        await app.mcp.setPermission(input.server, input.tool, input.permission)
        return {}
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

/** Without keys whose value is undefined: those are to stay as they are. */
function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

export type AppRouter = ReturnType<typeof createRouter>

function unknownProvider(name: string): AppError {
  return new AppError('input_invalid', `there is no provider ${name}`, { reason: name })
}

/** A text or a list that is longer than the contract takes it (shared/limits.ts). */
function tooLongOf(issues: ValidationError['issues']) {
  for (const issue of issues) {
    const { code, origin, maximum } = issue as { code?: unknown; origin?: unknown; maximum?: unknown }
    if (code !== 'too_big' || typeof maximum !== 'number' || (origin !== 'string' && origin !== 'array')) continue
    const field = (issue.path ?? []).map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
    const unit = origin === 'string' ? 'characters' : 'entries'
    const message = `${field} is too long: at most ${maximum.toLocaleString('en')} ${unit} can be taken`
    return { message, data: { field, limit: maximum } }
  }
  return undefined
}

/** Expected failures keep their code; a wrong request says what is wrong; all else gets a log reference. */
function toWire(error: unknown, app: App, path: string): unknown {
  if (error instanceof AppError)
    return new ORPCError(error.code, { message: error.message, data: error.data, cause: error })
  if (error instanceof ORPCError && error.code === 'BAD_REQUEST' && error.cause instanceof ValidationError) {
    const tooLong = tooLongOf(error.cause.issues)
    if (tooLong) return new ORPCError('input_too_long', { ...tooLong, cause: error })
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
