import { arch, cpus, release, totalmem } from 'node:os'
import type { IndexStatus, LogLine } from '#shared/contract/index.ts'
import { redact, withFile } from '#platform'
import { onSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { z } from 'zod'

interface DiagnosticsInput {
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

const maxBytes = 256 * 1024

const lineSchema = z.looseObject({ level: z.number(), time: z.string(), msg: z.string().default('') })

/** Returns up to `maxLines` lines from the last 256 KB of the log, oldest first; none if there is no log. */
export async function readLog(file: string, maxLines: number): Promise<LogLine[]> {
  const text = await tailOf(file)
  return text
    .split('\n')
    .flatMap((line) => {
      const parsed = lineSchema.safeParse(parseJson(line))
      if (!parsed.success) return []
      const { level, time, msg, ...details } = parsed.data
      const levelName = level >= 50 ? 'error' : level >= 40 ? 'warning' : 'info'
      const detailsText = Object.keys(details).length === 0 ? '' : JSON.stringify(details)
      return [{ level: levelName, time, message: msg, details: detailsText } as const]
    })
    .slice(-maxLines)
}

async function tailOf(file: string): Promise<string> {
  const tail = withFile(file, 'r', async (handle) => {
    const { size } = await handle.stat()
    const bytes = Buffer.alloc(Math.min(size, maxBytes))
    await handle.read(bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('utf8')
  })
  return tail.catch(onSystemError('', 'ENOENT'))
}
