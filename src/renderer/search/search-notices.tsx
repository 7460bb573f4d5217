import { t } from 'i18next'
import type { Explanation } from '#shared/contract/index.ts'
import { formatMoment } from '#lib/i18n/format.ts'

/** Tells what limits the results: an index that lags behind, vectors that are off or incomplete. */
export function SearchNotices({ explanation: { stale, standstill, notice } }: { explanation: Explanation }) {
  return (
    <>
      {stale && (
        <p role="status" className="px-5 pb-2 break-words text-warning">
          {standstill === undefined ? t('search.stale') : t('search.standstill', { reason: standstill })}
        </p>
      )}
      {notice && <NoticeLine notice={notice} />}
    </>
  )
}

function NoticeLine({ notice }: { notice: NonNullable<Explanation['notice']> }) {
  // Notices such as one about weak vectors for a language are expected.
  const isFault = notice.code !== 'vectors_weak' && notice.code !== 'query_private'
  return (
    <p role="status" className={`px-5 pb-2 break-words ${isFault ? 'text-warning' : 'text-muted'}`}>
      {noticeText(notice)}
    </p>
  )
}

export function noticeText({ code, message, since, count, script }: NonNullable<Explanation['notice']>): string {
  return t(`search.notice.${code}`, {
    reason: message,
    since: since === undefined ? '' : t('search.notice.since', { time: formatMoment(since) }),
    count,
    script: script && t(`search.script.${script}`),
  })
}
