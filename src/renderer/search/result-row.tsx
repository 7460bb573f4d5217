import { MessageSquare } from 'lucide-react'
import { t } from 'i18next'
import type { Candidate } from '#shared/contract/index.ts'
import { PlaceMark } from '#lib/notes/private-mark.tsx'
import { formatNoteDay } from '#lib/i18n/format.ts'
import { usePlaceNames } from '../markdown/citations/place-link.tsx'
import { UnitText } from './unit-text.tsx'

/** A found note or chat: its text with the words marked, its date, its file. */
export function ResultRow({ agent, candidate }: { agent: string; candidate: Candidate }) {
  const { path, snippet, matched, date, superseded } = candidate
  const title = usePlaceNames(agent).chatTitle(path)
  return (
    <span className="min-w-0 flex-1" data-testid="result" data-place={`${path}:${candidate.startLine}`}>
      <UnitText path={path} text={snippet} words={matched} className="line-clamp-2" />
      <span className="flex min-w-0 items-baseline gap-3 text-[12px] text-muted">
        {date !== undefined && <span className="shrink-0">{formatNoteDay(date)}</span>}
        <span className="min-w-0 truncate">
          <PlaceMark agent={agent} path={path} />
          {title !== undefined && <MessageSquare size={11} aria-label={t('search.chat')} className="mr-1 inline" />}
          {title ?? path}
        </span>
        {superseded && <span className="shrink-0 text-warning">{t('result.superseded', superseded)}</span>}
      </span>
    </span>
  )
}
