import type { IndexStatus, AppPart, Remedy } from '#shared/contract/index.ts'
import type { Health, ProblemReport } from './health.ts'

const parts = ['embeddings', 'watcher', 'index', 'files'] as const satisfies readonly AppPart[]

type ReportTemplate = Pick<ProblemReport, 'part' | 'level' | 'remedy'>

const modelSettings: Remedy = { kind: 'settings', section: 'models' }

const templates: Readonly<Record<string, ReportTemplate>> = {
  watch_limit: { part: 'watcher' },
  watch_failed: { part: 'watcher', remedy: { kind: 'reindex' } },
  index_failed: { part: 'index', level: 'bad', remedy: { kind: 'reindex' } },
  index_damaged: { part: 'index', level: 'note' },
  no_key: { part: 'embeddings', remedy: modelSettings },
  no_base_url: { part: 'embeddings', remedy: { kind: 'settings', section: 'all' } },
  provider_auth: { part: 'embeddings', remedy: modelSettings },
  texts_refused: { part: 'embeddings', level: 'note' },
  hard_link: { part: 'files', level: 'note' },
  passages_local: { part: 'embeddings', level: 'note' },
}

export function reportIndex(health: Health, agent: string, { problems, state }: IndexStatus): void {
  const reports = problems.map(({ code, message, path, since }): ProblemReport => ({
    code,
    message,
    ...(templates[code] ?? defaultTemplate(code, path)),
    agent,
    since,
    ...(path === undefined ? {} : { path }),
  }))
  const rebuilding: ProblemReport = { part: 'index', code: 'rebuilding', level: 'note', message: '', agent }
  health.replace(parts, state === 'rebuilding' ? [...reports, rebuilding] : reports, agent)
}

function defaultTemplate(code: string, path: string | undefined): ReportTemplate {
  if (code.startsWith('provider_')) return { part: 'embeddings', remedy: { kind: 'tryAgain' } }
  const isFile = path !== undefined && !path.startsWith('/') && /\.(md|markdown)$/i.test(path)
  return { part: 'files', ...(isFile ? { remedy: { kind: 'file', path } } : {}) }
}
