import { defaultWorkspace } from '../agents/state-folders.ts'
import type { contract } from '#shared/contract/index.ts'
import type { App } from '../composition/create-app.ts'
import { chatRoutes, contextRoutes, chatsRoutes } from './chat-router.ts'
import { clientsRoutes } from './clients-router.ts'
import { permanentDeletionRoutes, historyRoutes } from './history-router.ts'
import { type AppRouter, implementRoutes, type RouterBase, type Routes } from './procedure.ts'
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

const maxLogLines = 500
const maxOutboundRequests = 10_000

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

const routes: { readonly [Group in keyof typeof contract]: Routes<Group> } = {
  chat: chatRoutes,
  savedSearches: savedSearchesRoutes,
  clients: clientsRoutes,
  context: contextRoutes,
  find: findRoutes,
  permanentDeletion: permanentDeletionRoutes,
  history: historyRoutes,
  pictures: picturesRoutes,
  search: searchRoutes,
  chats: chatsRoutes,
  workspace: workspaceRoutes,
  links: ({ forAgent }) => ({
    of: forAgent((agent, input) => agent.links.linksOf(input.path)),
    resolve: forAgent((agent, input) => agent.links.resolve(input.path, input.kind, input)),
    files: forAgent((agent) => agent.links.files()),
    titles: forAgent((agent) => agent.links.titles()),
    block: forAgent((agent, input) => agent.links.block(input.id)),
    broken: forAgent((agent) => agent.links.broken()),
    mend: forAgent(async (agent, input) => {
      const { workspace } = agent
      const write = await workspace.edit(input.path, userOrigin, (text = '') => repairLink(text, input))
      return { change: write.change ?? null }
    }),
    names: forAgent((agent, input) => agent.links.names(input.path, input.typed)),
    planMove: forAgent((agent, { from, to }) => agent.links.planMove({ from, to })),
    move: forAgent((agent, { from, to, plan }) => agent.links.move({ from, to }, plan, userOrigin)),
    moving: forAgent((agent) => agent.batches.running),
    cancelMove: forAgent((agent) => agent.batches.cancel()),
  }),
  tags: ({ forAgent }) => ({
    of: forAgent((agent, input) => agent.links.properties(input.path)),
    planRename: forAgent((agent, { from, to }) => agent.links.planTagRename({ from, to })),
    rename: forAgent((agent, { from, to, plan }) => agent.links.renameTag({ from, to }, plan, userOrigin)),
  }),
  suggestions: ({ forAgent }) => ({
    list: forAgent(async (agent) => ({
      ...(await agent.suggestions.list()),
      nextAt: await agent.scheduler.next(),
    })),
    count: forAgent(async (agent) => ({ open: await agent.suggestions.count() })),
    look: forAgent((agent) => agent.suggestions.scan()),
    stop: forAgent((agent) => agent.suggestions.stop()),
    estimate: forAgent((agent, _input, signal) => agent.suggestions.estimate(signal)),
    review: forAgent((agent) => agent.suggestions.review()),
    request: forAgent(async (agent, input) => (await agent.reviewRequest(input.number)).request),
    preview: forAgent((agent, input) => agent.suggestions.preview(input.ids)),
    turn: forAgent((agent, input) => agent.suggestions.swapSides(input.id)),
    accept: forAgent((agent, input) => agent.suggestions.accept(input.ids)),
    edit: forAgent((agent, input) => agent.suggestions.edit(input.id, input.after)),
    refuse: forAgent((agent, input) => agent.suggestions.refuse(input.ids)),
    snooze: forAgent((agent, input) => agent.suggestions.snooze(input.ids, input.until)),
    reopen: forAgent((agent, input) => agent.suggestions.reopen(input.ids)),
    undo: forAgent((agent, input) => agent.suggestions.undo(input.acceptance)),
    flag: forAgent(async (agent, input) => ({
      id: await agent.suggestions.flag(input.path, input.line, input.fault, input.query),
    })),
  }),
  agents: ({ app }) => ({
    list: () => app.agents.list(),
    create: ({ input }) => app.agents.create(input),
    update: ({ input: { agent: id, ...change } }) => app.agents.update(id, change),
    share: ({ input }) => app.agents.setReaders(input.agent, input.with),
    setUp: ({ input }) => app.agents.setUp(input.agent, input.workspace, input.locale, input),
    moveOwn: ({ input }) => app.agents.moveAgentFiles(input.agent, input.own),
  }),
  conventions: ({ forAgent }) => ({
    look: ({ input, signal }) => inspectFolder(expandHome(input.path), signal),
    of: forAgent((agent) => agent.conventions.effective),
  }),
  health: ({ app, forAgent }) => ({
    problems: ({ input }) => app.health.problems(input.agent),
    ended: forAgent((agent) => (agent.recoveredChange ? [agent.recoveredChange] : [])),
    endedSeen: forAgent((agent, input) => {
      if (agent.recoveredChange?.id === input.id) agent.recoveredChange = undefined
    }),
    tryAgain: forAgent((agent) => agent.memory.tryProvider()),
  }),
  events: ({ app }) => ({
    subscribe: async function* ({ input, signal }) {
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
    },
  }),
  settings: ({ app }) => ({
    get: () => ({
      file: app.settings.file,
      version: appVersion,
      firstRun: app.agents.isFirstRun,
      suggestedWorkspace: defaultWorkspace(defaultAgentId),
      appearance: app.settings.config.interface,
      problems: [...app.settings.problems, ...app.settings.ignoredKeys],
      usesLastGood: app.settings.lastGood !== undefined,
      shortcuts: app.settings.config.shortcuts,
    }),
    source: async () => ({
      file: app.settings.file,
      text: await app.settings.source(),
      ...(app.settings.lastGood === undefined ? {} : { lastGood: app.settings.lastGood }),
      written: app.settings.configWithoutDefaults(),
      inForce: app.settings.config,
      schema: SettingsStore.jsonSchema(),
    }),
    check: ({ input }) => {
      const parsed = SettingsStore.parse(input.text)
      return [...(parsed.ok ? parsed.ignoredKeys : parsed.problems)]
    },
    save: ({ input }) => app.settings.save(input.text, input.baseText),
    set: ({ input }) => app.settings.set([input.path, input.reset ? undefined : input.value]),
    undo: ({ input: change }) => app.settings.restore(change),
    locations: () => app.locations(),
    log: () => readLog(app.log.file, maxLogLines),
    outbound: () => app.outbound.requests(maxOutboundRequests),
    diagnostics: async () => ({ text: await app.diagnostics() }),
    setModel: ({ input }) => app.agents.configOf(input.agent).set(['model'], input.model),
    providers: () => app.models.providers(),
    setKey: ({ input }) => app.keys.setKey(input.provider, input.key),
    setBaseUrl: ({ input }) => app.models.setBaseUrl(input.provider, input.baseUrl ?? undefined),
    testProvider: async ({ input }) => ({ models: await app.models.test(input.provider) }),
    localServers: () => app.models.localServers(),
    usage: async () => ({
      months: await app.ledger.months(),
      spending: await app.ledger.spending(),
    }),
    mcpServers: () => app.mcp.status(),
    startMcpServer: ({ input }) => app.mcp.start(input.name),
    setMcpPermission: ({ input }) => app.mcp.setPermission(input.server, input.tool, input.permission),
  }),
  import: ({ app, forAgent }) => ({
    known: () => findMemories(),
    settings: async ({ input }) => {
      const migrations = await findSettings(app, input)
      return migrations.map(({ changes: _changes, ...report }) => report)
    },
    takeOver: async ({ input }) => {
      const migration = (await findSettings(app, input)).find(({ file }) => file === input.file)
      if (!migration) throw new AppError('file_not_found', `${input.file} has no settings`, { path: input.file })
      const { changes, ...report } = migration
      return { ...report, change: await app.settings.set(...changes) }
    },
    plan: forAgent((agent, input, signal) => agent.importer.plan(input, signal)),
    start: forAgent((agent, input) => void agent.importer.start(input)),
    standing: forAgent((agent) => agent.importer.status()),
    seen: forAgent((agent, input) => agent.importer.markSeen(input.id)),
    cancel: forAgent((agent) => agent.importer.cancel()),
    past: forAgent((agent) => agent.importer.past()),
    packNote: forAgent((agent, input) => agent.importer.packNote(input.path)),
    pack: forAgent(async (agent, { withHistory }, signal) => {
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
  }),
}

export function createRouter(app: App): AppRouter {
  return implementRoutes(app, routes)
}
