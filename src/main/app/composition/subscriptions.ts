import type { AppEvent } from '#shared/contract/index.ts'
import type { AppError } from '#shared/util/errors.ts'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import type { ClientApps } from '#interop'
import { type Health, redact, describeProblems, type SettingsStore, type KeyRing } from '#platform'
import type { McpServers } from '#agent/mcp-client'
import type { UsageStore, Models } from '#llm'

interface Services {
  readonly settings: SettingsStore
  readonly keys: KeyRing
  readonly ledger: UsageStore
  readonly models: Models
  readonly mcp: McpServers
  readonly clients: ClientApps
  readonly agents: AgentRegistry
  readonly health: Health
}

export const modelSettingsRemedy = { kind: 'settings', section: 'models' } as const

/** Publishes changes and problems of services as events. @returns unsubscribes from the settings: they may stay open */
export function subscribeServices(
  { settings, keys, ledger, models, mcp, clients, agents, health }: Services,
  publish: (event: AppEvent) => void,
): () => void {
  reportSettings(health, settings)
  health.changes.subscribe(() => publish({ type: 'healthChanged' }))
  agents.changes.subscribe(() => publish({ type: 'agentsChanged' }))
  ledger.changes.subscribe(() => publish({ type: 'usageChanged' }))
  keys.changes.subscribe(() => publish({ type: 'settingsChanged' }))
  models.changes.subscribe(({ model, failure }) => reportModel(health, model, failure))
  clients.changes.subscribe(() => publish({ type: 'clientsChanged' }))
  mcp.changes.subscribe(() => {
    publish({ type: 'mcpChanged' })
    reportTools(health, mcp)
  })
  return settings.changes.subscribe(() => {
    reportSettings(health, settings)
    health.clear('model')
    publish({ type: 'settingsChanged' })
    // The settings contain the spending limit.
    publish({ type: 'usageChanged' })
    void mcp.applySettings()
  })
}

function reportSettings(health: Health, { problems, ignored, file }: SettingsStore): void {
  const reportOf = (code: string, settingsProblems: typeof problems) =>
    settingsProblems.length === 0
      ? []
      : [
          {
            part: 'settings',
            code,
            message: describeProblems(file, settingsProblems),
            remedy: { kind: 'configFile' },
          } as const,
        ]
  health.replace(['settings'], [...reportOf('config_invalid', problems), ...reportOf('config_ignored', ignored)])
}

function reportTools(health: Health, mcp: McpServers): void {
  const failed = mcp.status().filter(({ state }) => state === 'failed')
  health.replace(
    ['tools'],
    failed.map(({ name, problem }) => ({
      part: 'tools',
      code: 'tools_failed',
      message: `${name}: ${problem ?? ''}`,
      path: name,
      remedy: { kind: 'settings', section: 'models' },
    })),
  )
}

/** Reports the last failure of a model provider; undefined clears it. */
function reportModel(health: Health, model: string, failure: AppError | undefined): void {
  if (!failure) return health.clear('model')
  const failureMessage = redact(failure.message)
  const causeMessage = failure.cause instanceof Error ? redact(failure.cause.message) : ''
  const message = `${model}: ${failureMessage}${causeMessage === '' || failureMessage.includes(causeMessage) ? '' : `: ${causeMessage}`}`
  health.replace(
    ['model'],
    [{ part: 'model', code: failure.code, message: message.slice(0, 400), remedy: modelSettingsRemedy }],
  )
}
