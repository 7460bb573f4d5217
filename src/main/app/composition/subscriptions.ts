import type { AppEvent } from '#shared/contract/index.ts'
import type { AppError } from '#shared/util/errors.ts'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import type { ClientApps } from '#interop'
import { redact, type KeyRing, SettingsStore } from '#platform'
import type { Health } from '../diagnostics/health.ts'
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

/** Publishes changes and problems of services as events. @returns a function that unsubscribes from the settings */
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

function reportSettings(health: Health, { problems, ignoredKeys, file }: SettingsStore): void {
  const problemsOf = (code: string, settingsProblems: typeof problems) => {
    if (settingsProblems.length === 0) return []
    const message = SettingsStore.describe(file, settingsProblems)
    return [{ part: 'settings', code, message, remedy: { kind: 'configFile' } } as const]
  }
  const reports = [...problemsOf('config_invalid', problems), ...problemsOf('config_ignored', ignoredKeys)]
  health.replace(['settings'], reports)
}

function reportTools(health: Health, mcp: McpServers): void {
  const failedServers = mcp.status().filter(({ state }) => state === 'failed')
  health.replace(
    ['tools'],
    failedServers.map(({ name, problem }) => ({
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
  const addedTexts = failureMessage.includes(causeMessage) ? [] : [causeMessage]
  const message = [model, failureMessage, ...addedTexts].join(': ')
  health.replace(
    ['model'],
    [{ part: 'model', code: failure.code, message: message.slice(0, 400), remedy: modelSettingsRemedy }],
  )
}
