import { t } from 'i18next'
import { Command } from 'cmdk'
import type { ReactNode } from 'react'
import type { Candidate } from '#shared/contract/index.ts'
import { candidateKey } from './candidates.ts'
import { MessageSquare } from 'lucide-react'
import { PlaceMark } from '#lib/notes/private-mark.tsx'
import { formatNoteDay } from '#lib/i18n/format.ts'
import { usePlaceNames } from '../markdown/citations/place-link.tsx'
import { MemoryText } from './unit-text.tsx'

const noRows: readonly ReactNode[] = []

interface ResultGroupProps {
  readonly agent: string
  readonly name: 'notes' | 'chats' | 'weak'
  readonly candidates: readonly Candidate[]
  readonly onOpen: (candidate: Candidate) => void
  /** Opens the explanation; without it, rows have no *Why?*. */
  readonly onWhy?: ((candidate: Candidate) => void) | undefined
  /** Rows before the results. */
  readonly children?: readonly ReactNode[]
}

/** A group of results in a list of the command menu (cmdk). */
export function ResultGroup({ agent, name, candidates, onOpen, onWhy, children = noRows }: ResultGroupProps) {
  if (candidates.length + children.length === 0) return null
  return (
    <Command.Group heading={t(`search.group.${name}`)} className={groupLook}>
      {children}
      {candidates.map((candidate) => (
        <Command.Item
          key={candidateKey(candidate)}
          value={candidateKey(candidate)}
          onSelect={() => onOpen(candidate)}
          className={`group/result flex items-end gap-3 rounded-sm px-2.5 py-1.5 data-[selected=true]:bg-selected ${name === 'weak' ? 'text-muted' : ''}`}
        >
          <ResultRow agent={agent} candidate={candidate} />
          {onWhy && (
            // A control inside an option is not allowed; the Tab key opens the same explanation.
            <span
              className="shrink-0 text-[12px] text-accent opacity-0 group-hover/result:opacity-100 group-data-[selected=true]/result:opacity-100"
              onClick={(event) => {
                event.stopPropagation()
                onWhy(candidate)
              }}
            >
              {t('search.whyThis')}
            </span>
          )}
        </Command.Item>
      ))}
    </Command.Group>
  )
}

export const groupLook =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-[11px] [&_[cmdk-group-heading]]:text-muted'

/** A found note or chat: its text with the words marked, its date, its file. */
export function ResultRow({ agent, candidate }: { agent: string; candidate: Candidate }) {
  const { path, snippet, matched, date, superseded } = candidate
  const title = usePlaceNames(agent).chatTitle(path)
  return (
    <span className="min-w-0 flex-1" data-testid="result" data-place={`${path}:${candidate.startLine}`}>
      <MemoryText path={path} text={snippet} words={matched} className="line-clamp-2" />
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
