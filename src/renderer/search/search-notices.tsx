import { t } from 'i18next'
import type { Explanation, Condition } from '#shared/contract/index.ts'
import { formatMoment } from '#lib/i18n/format.ts'
import { useQuery } from '@tanstack/react-query'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api } from '#lib/api/client.ts'
import { clipLine } from '#lib/util/clip.ts'
import { IndexAllButton } from '#lib/notes/note-marks.tsx'
import {
  CalendarClock,
  Clock,
  FolderTree,
  Hash,
  ListFilter,
  MessagesSquare,
  Minus,
  Plus,
  TriangleAlert,
  X,
} from 'lucide-react'

/** Tells what limits the results: words that no note has, an index that lags behind, vectors that are off or incomplete. */
export function SearchNotices({ explanation }: { explanation: Explanation }) {
  const { absent, stale, standstill, reading, notice } = explanation
  // Notices such as one about weak vectors for a language are expected.
  const isFault = notice?.code !== 'vectors_weak' && notice?.code !== 'query_private'
  return (
    <>
      {absent.length > 0 && (
        <p role="status" className="px-5 pb-2 break-words text-muted">
          {t('search.absent', { words: [...new Set(absent)].join(t('common.comma')) })}
        </p>
      )}
      {stale && (
        <p role="status" className="px-5 pb-2 break-words text-warning">
          {standstill !== undefined && t('search.standstill', { reason: standstill })}
          {standstill === undefined && (reading ? t('search.reading', reading) : t('search.stale'))}
        </p>
      )}
      {notice && (
        <p role="status" className={`px-5 pb-2 break-words ${isFault ? 'text-warning' : 'text-muted'}`}>
          {noticeText(notice)}
        </p>
      )}
    </>
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

const maxShown = 120

export function UnsearchedCount() {
  return (
    <div className="px-5 py-3 text-[12px] text-muted empty:hidden">
      <UnsearchedFiles />
      <SkippedLinks />
    </div>
  )
}

function SkippedLinks() {
  const { id: agent } = useAgent()
  const { data } = useQuery(api.workspace.links.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  if (data === undefined || data.count === 0) return null
  const { count, paths: shownPaths } = data
  const names = shownPaths.map((path) => clipLine(path, maxShown)).join(', ')
  return (
    <p data-testid="passed-links" className="wrap-anywhere">
      {t('unsearched.links', { count, names: count > shownPaths.length ? `${names} …` : names })}
    </p>
  )
}

function UnsearchedFiles() {
  const { id: agent } = useAgent()
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const reasons = (files.data ?? []).flatMap(({ unsearched }) => unsearched?.reason ?? [])
  if (reasons.length === 0) return null
  const countOf = (reason: string) => reasons.filter((other) => other === reason).length
  const parts = [
    countOf('scope') > 0 && t('unsearched.countScope', { count: countOf('scope') }),
    countOf('project') > 0 && t('unsearched.countProject', { count: countOf('project') }),
    countOf('unreadable') > 0 && t('unsearched.countUnreadable', { count: countOf('unreadable') }),
  ].filter((part) => part !== false)
  return (
    <div data-testid="unsearched-count" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        {t('unsearched.count', { count: reasons.length })} {parts.join(' · ')}
      </span>
      {countOf('scope') > 0 && <IndexAllButton />}
    </div>
  )
}

interface ConditionChipsProps {
  readonly conditions: readonly Condition[]
  readonly onToggle: (text: string) => void
}

const icons = {
  after: CalendarClock,
  before: CalendarClock,
  on: CalendarClock,
  in: CalendarClock,
  path: FolderTree,
  source: MessagesSquare,
  tag: Hash,
  property: ListFilter,
  not: Minus,
  time: Clock,
} as const

export function ConditionChips({ conditions, onToggle }: ConditionChipsProps) {
  if (conditions.length === 0) return null
  return (
    <ul aria-label={t('condition.label')} className="flex flex-wrap gap-2 px-5 pb-3">
      {conditions.map((condition, index) => {
        const { kind, text, isOff, isUnread } = condition
        const Icon = isUnread ? TriangleAlert : icons[kind]
        const meaning = meaningOf(condition)
        return (
          <li
            // A query can contain the same condition twice.
            key={`${index} ${text}`}
            data-testid="condition"
            data-kind={kind}
            data-off={isOff}
            title={meaning}
            className={`flex min-h-7 max-w-full items-center gap-1.5 rounded-full border px-2.5 text-[12px] ${
              isUnread ? 'border-warning text-warning' : 'border-line bg-raised'
            } ${isOff ? 'text-muted' : ''}`}
          >
            <Icon size={12} aria-hidden className="shrink-0" />
            {isUnread ? (
              // The message repeats the condition's text.
              <span className="min-w-0 whitespace-normal">{meaning}</span>
            ) : (
              <>
                <span className={`min-w-0 truncate ${isOff ? 'line-through' : ''}`}>{text}</span>
                <Span condition={condition} />
                <button
                  type="button"
                  aria-label={t(isOff ? 'condition.on' : 'condition.off', { text })}
                  onClick={() => onToggle(text)}
                  className="-mr-1.5 flex size-6 shrink-0 items-center justify-center rounded-full text-muted hover:bg-soft hover:text-text"
                >
                  {isOff ? <Plus size={12} aria-hidden /> : <X size={12} aria-hidden />}
                </button>
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function Span({ condition: { from, to, isOff, nearest } }: { condition: Condition }) {
  if (isOff || (from === null && to === null)) return null
  const range = from === to ? from : `${from ?? '…'} – ${to ?? '…'}`
  if (nearest !== undefined) return <span className="tabular">{t('condition.nearest', { range, nearest })}</span>
  return <span className="tabular shrink-0 text-muted max-[480px]:hidden">{range}</span>
}

function meaningOf({ kind, text, from, to, isUnread }: Condition): string {
  const isValue = kind === 'tag' || kind === 'property'
  if (isUnread) {
    if (kind === 'path') return t('condition.unreadPath', { text })
    if (kind === 'source') return t('condition.unreadSource', { text })
    return t(isValue ? 'condition.unreadValue' : 'condition.unreadDate', { text })
  }
  if (isValue) return t(`condition.${text.startsWith('-') ? 'without' : kind}`)
  if (kind === 'path' || kind === 'source' || kind === 'not') return t(`condition.${kind}`)
  const days = { from: from ?? '', to: to ?? '' }
  if (kind === 'after' || kind === 'before') return t(`condition.${kind}`, days)
  if (kind === 'time') {
    if (to === null) return t('condition.liftFrom', days)
    if (from === null) return t('condition.liftTo', days)
    return t(from === to ? 'condition.liftDay' : 'condition.lift', days)
  }
  return t(from === to ? 'condition.day' : 'condition.span', days)
}
