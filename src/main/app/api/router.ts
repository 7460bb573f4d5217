import { defaultWorkspace } from '../agents/state-folders.ts'
import type { App } from '../composition/create-app.ts'
import { chatRoutes, contextRoutes, sessionsRoutes } from './chat-router.ts'
import { clientsRoutes } from './clients-router.ts'
import { permanentDeletionRoutes, historyRoutes } from './history-router.ts'
import { routerBase, type RouterBase, perform } from './procedure.ts'
import { savedSearchesRoutes, searchRoutes } from './search-router.ts'
import { findRoutes, picturesRoutes, workspaceRoutes } from './workspace-router.ts'
import { repairLink, inspectFolder } from '#workspace'
import { expandHome, appVersion, defaultAgentId, SettingsStore } from '#platform'
import { readLog } from '../diagnostics/report.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findMemories, findOpenClawSettings } from '#interop'
import { AppError } from '#shared/util/errors.ts'

const userOrigin = { cause: 'user' } as const

const linksRoutes = ({ os, forAgent, doForAgent }: RouterBase) => ({
  of: forAgent(os.links.of, (agent, input) => agent.links.linksOf(input.path)),
  resolve: forAgent(os.links.resolve, (agent, input) => agent.links.resolve(input.path, input.kind, input)),
  files: forAgent(os.links.files, (agent) => agent.links.files()),
  titles: forAgent(os.links.titles, (agent) => agent.links.titles()),
  block: forAgent(os.links.block, (agent, input) => agent.links.block(input.id)),
  broken: forAgent(os.links.broken, (agent) => agent.links.broken()),
  mend: forAgent(os.links.mend, async (agent, input) => {
    const { workspace } = agent
    const write = await workspace.edit(input.path, userOrigin, (text = '') => repairLink(text, input))
    return { change: write.change ?? null }
  }),
  names: forAgent(os.links.names, (agent, input) => agent.links.names(input.path, input.typed)),
  planMove: forAgent(os.links.planMove, (agent, { from, to }) => agent.links.planMove({ from, to })),
  move: forAgent(os.links.move, (agent, { from, to, plan }) => agent.links.move({ from, to }, plan, userOrigin)),
  moving: forAgent(os.links.moving, (agent) => agent.batches.running),
  cancelMove: doForAgent(os.links.cancelMove, (agent) => agent.batches.cancel()),
})

const tagsRoutes = ({ os, forAgent }: RouterBase) => ({
  of: forAgent(os.tags.of, (agent, input) => agent.links.properties(input.path)),
  planRename: forAgent(os.tags.planRename, (agent, { from, to }) => agent.links.planTagRename({ from, to })),
  rename: forAgent(os.tags.rename, (agent, { from, to, plan }) =>
    agent.links.renameTag({ from, to }, plan, userOrigin),
  ),
})

const suggestionsRoutes = ({ os, forAgent, doForAgent }: RouterBase) => ({
  list: forAgent(os.suggestions.list, async (agent) => ({
    ...(await agent.suggestions.list()),
    nextAt: await agent.scheduler.next(),
  })),
  count: forAgent(os.suggestions.count, async (agent) => ({ open: await agent.suggestions.count() })),
  look: forAgent(os.suggestions.look, (agent) => agent.suggestions.scan()),
  stop: doForAgent(os.suggestions.stop, (agent) => agent.suggestions.stop()),
  estimate: forAgent(os.suggestions.estimate, (agent, _input, signal) => agent.suggestions.estimate(signal)),
  review: forAgent(os.suggestions.review, (agent) => agent.suggestions.review()),
  request: forAgent(os.suggestions.request, (agent, input) => agent.reviewRequest(input.number)),
  preview: forAgent(os.suggestions.preview, (agent, input) => agent.suggestions.preview(input.ids)),
  turn: doForAgent(os.suggestions.turn, (agent, input) => agent.suggestions.swapSides(input.id)),
  accept: forAgent(os.suggestions.accept, (agent, input) => agent.suggestions.accept(input.ids)),
  edit: doForAgent(os.suggestions.edit, (agent, input) => agent.suggestions.edit(input.id, input.after)),
  refuse: doForAgent(os.suggestions.refuse, (agent, input) => agent.suggestions.refuse(input.ids)),
  snooze: doForAgent(os.suggestions.snooze, (agent, input) => agent.suggestions.snooze(input.ids, input.until)),
  reopen: doForAgent(os.suggestions.reopen, (agent, input) => agent.suggestions.reopen(input.ids)),
  undo: forAgent(os.suggestions.undo, (agent, input) => agent.suggestions.undo(input.acceptance)),
  flag: forAgent(os.suggestions.flag, async (agent, input) => ({
    id: await agent.suggestions.flag(input.path, input.line, input.fault, input.query),
  })),
})

const agentsRoutes = ({ app, os }: RouterBase) => ({
  list: os.agents.list.handler(() => app.agents.list()),
  create: os.agents.create.handler(({ input }) => app.agents.create(input)),
  update: perform(os.agents.update, ({ agent: id, ...change }) => app.agents.update(id, withoutUndefined(change))),
  share: perform(os.agents.share, (input) => app.agents.setReaders(input.agent, input.with)),
  setUp: os.agents.setUp.handler(({ input }) => app.agents.setUp(input.agent, input.workspace, input.locale, input)),
  moveOwn: os.agents.moveOwn.handler(({ input }) => app.agents.moveAgentFiles(input.agent, input.own)),
})

/** Removes keys whose value is undefined, so that they do not overwrite stored values. */
function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

const conventionsRoutes = ({ os, forAgent }: RouterBase) => ({
  look: os.conventions.look.handler(({ input, signal }) => inspectFolder(expandHome(input.path), signal)),
  of: forAgent(os.conventions.of, (agent) => {
    const { detected, effective } = agent.conventions
    return { found: detected, kept: effective }
  }),
})

const healthRoutes = ({ app, os, forAgent, doForAgent }: RouterBase) => ({
  problems: os.health.problems.handler(({ input }) => app.health.problems(input.agent)),
  ended: forAgent(os.health.ended, (agent) => (agent.recoveredChange ? [agent.recoveredChange] : [])),
  endedSeen: doForAgent(os.health.endedSeen, (agent, input) => {
    if (agent.recoveredChange?.id === input.id) agent.recoveredChange = undefined
  }),
  tryAgain: doForAgent(os.health.tryAgain, (agent) => agent.memory.tryProvider()),
})

const eventsRoutes = ({ app, os }: RouterBase) => ({
  subscribe: os.events.subscribe.handler(async function* ({ input, signal }) {
    if (input) app.settings.setSystemLanguage(input.language)
    // Only windows send their language.
    const unregister = input ? app.clients.registerWindow() : undefined
    const events = app.events.subscribe('event', signal ? { signal } : {})
    try {
      yield { type: 'hello' as const, version: appVersion }
      yield* events
    } finally {
      unregister?.()
    }
  }),
})

const maxLogLines = 500
const maxOutboundRequests = 10_000

const settingsRoutes = ({ app, os }: RouterBase) => ({
  get: os.settings.get.handler(() => ({
    file: app.settings.file,
    version: appVersion,
    firstRun: app.agents.isFirstRun,
    suggestedWorkspace: defaultWorkspace(defaultAgentId),
    appearance: app.settings.config.interface,
    problems: [...app.settings.problems, ...app.settings.ignoredKeys],
    usesLastGood: app.settings.lastGood !== undefined,
    shortcuts: app.settings.config.shortcuts,
  })),
  source: os.settings.source.handler(async () => ({
    file: app.settings.file,
    text: await app.settings.source(),
    ...(app.settings.lastGood === undefined ? {} : { lastGood: app.settings.lastGood }),
    written: app.settings.configWithoutDefaults(),
    inForce: app.settings.config,
    schema: SettingsStore.jsonSchema(),
  })),
  check: os.settings.check.handler(({ input }) => {
    const parsed = SettingsStore.parse(input.text)
    return [...(parsed.ok ? parsed.ignoredKeys : parsed.problems)]
  }),
  save: os.settings.save.handler(({ input }) => app.settings.save(input.text, input.baseText)),
  set: perform(os.settings.set, (input) => app.settings.set([input.path, input.reset ? undefined : input.value])),
  undo: perform(os.settings.undo, (change) => app.settings.restore(change)),
  locations: os.settings.locations.handler(() => app.locations()),
  log: os.settings.log.handler(() => readLog(app.log.file, maxLogLines)),
  outbound: os.settings.outbound.handler(() => app.outbound.requests(maxOutboundRequests)),
  diagnostics: os.settings.diagnostics.handler(async () => ({ text: await app.diagnostics() })),
  setAppearance: os.settings.setAppearance.handler(async ({ input }) => {
    await app.settings.set(...Object.entries(input).map(([key, value]) => [['interface', key], value] as const))
    return app.settings.config.interface
  }),
  setModel: perform(os.settings.setModel, (input) => app.agents.configOf(input.agent).set(['model'], input.model)),
  providers: os.settings.providers.handler(() => app.models.providers()),
  setKey: perform(os.settings.setKey, (input) => app.keys.setKey(input.provider, input.key)),
  setBaseUrl: perform(os.settings.setBaseUrl, (input) =>
    app.models.setBaseUrl(input.provider, input.baseUrl ?? undefined),
  ),
  testProvider: os.settings.testProvider.handler(async ({ input }) => ({
    models: await app.models.test(input.provider),
  })),
  localServers: os.settings.localServers.handler(() => app.models.localServers()),
  usage: os.settings.usage.handler(async () => ({
    months: await app.ledger.months(),
    spending: await app.ledger.spending(),
  })),
  mcpServers: os.settings.mcpServers.handler(() => app.mcp.status()),
  startMcpServer: perform(os.settings.startMcpServer, (input) => app.mcp.start(input.name)),
  setMcpPermission: perform(os.settings.setMcpPermission, (input) =>
    app.mcp.setPermission(input.server, input.tool, input.permission),
  ),
})

const importRoutes = ({ app, os, forAgent, doForAgent }: RouterBase) => ({
  known: os.import.known.handler(() => findMemories()),
  settings: os.import.settings.handler(async ({ input }) => {
    const migrations = await findSettings(app, input)
    return migrations.map(({ changes: _changes, ...report }) => report)
  }),
  takeOver: os.import.takeOver.handler(async ({ input }) => {
    const migration = (await findSettings(app, input)).find(({ file }) => file === input.file)
    if (!migration) throw new AppError('file_not_found', `${input.file} has no settings`, { path: input.file })
    const { changes, ...report } = migration
    return { ...report, change: await app.settings.set(...changes) }
  }),
  plan: forAgent(os.import.plan, (agent, input) => agent.importer.plan(input)),
  start: doForAgent(os.import.start, (agent, input) => void agent.importer.start(input)),
  standing: forAgent(os.import.standing, (agent) => agent.importer.status()),
  seen: doForAgent(os.import.seen, (agent, input) => agent.importer.markSeen(input.id)),
  cancel: doForAgent(os.import.cancel, (agent) => agent.importer.cancel()),
  past: forAgent(os.import.past, (agent) => agent.importer.past()),
  packNote: forAgent(os.import.packNote, (agent, input) => agent.importer.packNote(input.path)),
  pack: forAgent(os.import.pack, async (agent, { withHistory }, signal) => {
    const { importer, history } = agent
    if (!withHistory || !history.isEnabled) return importer.pack()
    const folder = await mkdtemp(join(tmpdir(), 'commonplace-history-'))
    try {
      await Array.fromAsync(agent.exportHistory(folder, false, signal))
      return await importer.pack(join(folder, '.git'))
    } finally {
      // Git may still write for a moment after a stop.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }),
})

/** @param folder workspace of the first agent before it is set up; `~` is the home folder */
async function findSettings(
  { agents, keys: keyRing, settings }: RouterBase['app'],
  { folder, keys }: { folder?: string | undefined; keys?: readonly string[] },
) {
  const first = folder === undefined ? [] : [{ id: defaultAgentId, workspace: folder }]
  const { list } = settings.config.agents
  const existing = (list.length === 0 ? first : list).map(({ id, workspace = defaultWorkspace(id) }) => {
    return { id, workspace: resolve(expandHome(workspace)) }
  })
  const workspaces = [...existing, ...(await agents.list())].map(({ workspace }) => workspace)
  const hasKey = (provider: string) => keyRing.get(provider) !== undefined
  return findOpenClawSettings(workspaces, { agents: existing, config: settings.configWithoutDefaults(), hasKey, keys })
}

export function createRouter(app: App) {
  const base = routerBase(app)
  return base.os.router({
    agents: agentsRoutes(base),
    chat: chatRoutes(base),
    savedSearches: savedSearchesRoutes(base),
    clients: clientsRoutes(base),
    context: contextRoutes(base),
    events: eventsRoutes(base),
    find: findRoutes(base),
    permanentDeletion: permanentDeletionRoutes(base),
    conventions: conventionsRoutes(base),
    health: healthRoutes(base),
    history: historyRoutes(base),
    import: importRoutes(base),
    links: linksRoutes(base),
    pictures: picturesRoutes(base),
    tags: tagsRoutes(base),
    search: searchRoutes(base),
    sessions: sessionsRoutes(base),
    settings: settingsRoutes(base),
    suggestions: suggestionsRoutes(base),
    workspace: workspaceRoutes(base),
  })
}

export type AppRouter = ReturnType<typeof createRouter>
