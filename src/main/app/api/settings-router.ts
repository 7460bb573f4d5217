import { appVersion, configJsonSchema, defaultAgentId, defaultWorkspace, parseConfig } from '#platform'
import { readLog } from '../diagnostics/report.ts'
import { perform, type RouterBase } from './procedure.ts'

const maxLogLines = 500
const maxOutboundRequests = 10_000

export const settingsRoutes = ({ app, os }: RouterBase) => ({
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
    schema: configJsonSchema(),
  })),
  check: os.settings.check.handler(({ input }) => {
    const parsed = parseConfig(input.text)
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
  setModel: perform(os.settings.setModel, (input) => app.agents.configOf(input.agent).setModel(input.model)),
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
