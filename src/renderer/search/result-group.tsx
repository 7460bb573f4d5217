import { t } from 'i18next'
import { Command } from 'cmdk'
import type { ReactNode } from 'react'
import type { Candidate } from '#shared/contract/index.ts'
import { keyOf } from './rank-diff.ts'
import { ResultRow } from './result-row.tsx'

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
          key={keyOf(candidate)}
          value={keyOf(candidate)}
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
