import { readLog, configJsonSchema, defaultAgentId, defaultWorkspace, parseConfig } from '#platform'
import type { RouterBase } from './procedure.ts'

const maxLogLines = 500

export const settingsRoutes = ({ app, os }: RouterBase) => ({
  get: os.settings.get.handler(() => ({
    file: app.settings.file,
    firstRun: app.agents.isFirstRun,
    suggestedWorkspace: defaultWorkspace(defaultAgentId),
    appearance: app.settings.config.interface,
    problems: [...app.settings.problems, ...app.settings.ignoredKeys],
    shortcuts: app.settings.config.shortcuts,
  })),
  source: os.settings.source.handler(async () => ({
    file: app.settings.file,
    text: await app.settings.source(),
    written: app.settings.configWithoutDefaults(),
    inForce: app.settings.config,
    schema: configJsonSchema(),
  })),
  check: os.settings.check.handler(({ input }) => {
    const parsed = parseConfig(input.text)
    return [...(parsed.ok ? parsed.ignoredKeys : parsed.problems)]
  }),
  save: os.settings.save.handler(({ input }) => app.settings.save(input.text, input.baseText)),
  set: os.settings.set.handler(async ({ input }) => {
    await app.settings.set([input.path, input.reset ? undefined : input.value])
    return {}
  }),
  locations: os.settings.locations.handler(() => app.locations()),
  log: os.settings.log.handler(() => readLog(app.log.file, maxLogLines)),
  diagnostics: os.settings.diagnostics.handler(async () => ({ text: await app.diagnostics() })),
  setAppearance: os.settings.setAppearance.handler(async ({ input }) => {
    await app.settings.set(...Object.entries(input).map(([key, value]) => [['interface', key], value] as const))
    return app.settings.config.interface
  }),
  setModel: os.settings.setModel.handler(async ({ input }) => {
    await app.agents.configOf(input.agent).setModel(input.model)
    return { model: input.model }
  }),
  providers: os.settings.providers.handler(() => app.models.providers()),
  setKey: os.settings.setKey.handler(async ({ input }) => {
    await app.keys.setKey(input.provider, input.key)
    return {}
  }),
  setBaseUrl: os.settings.setBaseUrl.handler(async ({ input }) => {
    await app.models.setBaseUrl(input.provider, input.baseUrl ?? undefined)
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
})
