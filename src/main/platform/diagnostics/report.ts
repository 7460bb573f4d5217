import { arch, cpus, release, totalmem } from 'node:os'
import type { IndexStatus, LogLine } from '#shared/contract/index.ts'
import { redact } from '../logging/log.ts'

export interface DiagnosticsInput {
  readonly version: string
  readonly home: string
  readonly settings: unknown
  readonly agents: readonly { readonly model: string; readonly status: IndexStatus | undefined }[]
  readonly log: readonly LogLine[]
  readonly now: Date
}

export function createDiagnosticReport({ version, home, settings, agents, log, now }: DiagnosticsInput): string {
  const report = {
    app: version,
    at: now.toISOString(),
    node: process.versions.node,
    electron: process.versions['electron'] ?? null,
    system: `${process.platform} ${release()} ${arch()}`,
    processors: cpus().length,
    memoryMb: Math.round(totalmem() / 1e6),
    usedMb: Math.round(process.memoryUsage().rss / 1e6),
    upMinutes: Math.round(process.uptime() / 60),
    settings: withoutTexts(settings),
    agents: agents.map(({ model, status }, index) => ({
      agent: index + 1,
      model,
      index: status && {
        files: status.files,
        units: status.units,
        embedded: status.embedded,
        provider: status.provider,
        state: status.state,
        problems: status.problems.map(({ code }) => code),
      },
    })),
    log: log.map(({ message, details, ...line }) => ({
      ...line,
      message: anonymize(message, home),
      details: anonymize(details, home),
    })),
  }
  return JSON.stringify(report, null, 2)
}

/** Replaces texts by their length, except single words such as the name of a provider. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutTexts(inner)]))
  if (typeof value !== 'string') return value
  return /^[a-z][a-z0-9+_-]{0,23}$/i.test(value) ? value : `(${value.length} characters)`
}

function anonymize(text: string, home: string): string {
  return redact(text)
    .replaceAll(home, '(state)')
    .replace(/(?:\/|[A-Za-z]:\\)(?:[^\s"':()]+[/\\])*([^\s"':()/\\]+)/g, '(path)/$1')
    .replace(/[\w.+-]+@[\w-]+\.[\w.]+/g, '(address)')
    .replace(/\(path\)\/[^\s"':()]+\.(?:md|markdown|jsonl)/gi, '(path)/(note)')
}
