import { t } from 'i18next'
import { Loader } from 'lucide-react'
import type { IndexStatus } from '#shared/contract/index.ts'
import { formatNumber, formatPercent } from '#lib/i18n/format.ts'

/** The progress of the index, while it works. */
export function IndexProgress({ status }: { status: IndexStatus }) {
  const { units, embedded, provider, state, done, total, etaMs, download, problems } = status
  const isEmbedding = state === 'ready' && provider !== 'none' && embedded < units && problems.length === 0
  const progress = isEmbedding
    ? { done: formatNumber(embedded), total: formatNumber(units) }
    : { done: formatNumber(done), total: formatNumber(total) }
  const step = {
    starting: 'status.starting',
    indexing: total === 0 ? 'status.starting' : 'status.indexing',
    rebuilding: total === 0 ? 'status.starting' : 'status.rebuilding',
    ready: isEmbedding ? 'status.embedding' : undefined,
    failed: undefined,
  } as const
  const texts = [
    step[state] && t(step[state], progress),
    etaMs !== undefined && etaMs > 2000 && t('status.eta', { seconds: formatNumber(Math.ceil(etaMs / 1000)) }),
    download && t('status.download', { share: formatPercent(Math.round(download.share * 100) / 100) }),
  ].filter(Boolean)
  return (
    <span role="status" className="tabular flex items-center gap-1.5">
      {texts.length > 0 && <Loader size={12} className="animate-spin" aria-hidden />}
      {texts.join(' · ')}
    </span>
  )
}
