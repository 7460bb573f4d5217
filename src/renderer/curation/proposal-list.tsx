import { t } from 'i18next'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useRef } from 'react'
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Evidence, Proposal } from '#shared/contract/index.ts'
import { clipLine } from '#lib/util/clip.ts'
import type { SuggestionInbox } from './use-inbox.ts'
import { ruleName, stripMarks } from './proposal-text.ts'

const rowHeight = 66

export function ProposalList({ inbox, onOpen }: { inbox: SuggestionInbox; onOpen: (id: string) => void }) {
  const { proposals, current, index, checkedIds, toggleChecked } = inbox
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: proposals.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  useEffect(() => {
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' })
  }, [index, virtualizer])
  // Takes the focus on mount, so that shortcuts work at once, and after the removal of a suggestion, which drops it.
  useEffect(() => {
    if (document.activeElement === document.body) scroller.current?.focus({ preventScroll: true })
  }, [current?.id])
  return (
    <div
      ref={scroller}
      role="listbox"
      tabIndex={0}
      aria-label={t('upkeep.title')}
      aria-multiselectable
      aria-activedescendant={current ? `proposal-${current.id}` : undefined}
      className="group min-h-0 flex-1 overflow-y-auto outline-none"
      data-testid="proposals"
    >
      <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((row) => {
          const proposal = proposals[row.index]
          return (
            proposal && (
              <div
                key={proposal.id}
                className="absolute inset-x-0 top-0"
                style={{ height: rowHeight, transform: `translateY(${row.start}px)` }}
              >
                <ProposalRow
                  proposal={proposal}
                  isCurrent={proposal.id === current?.id}
                  isChecked={checkedIds.has(proposal.id)}
                  onToggle={toggleChecked}
                  onOpen={onOpen}
                />
              </div>
            )
          )
        })}
      </div>
    </div>
  )
}

interface ProposalRowProps {
  readonly proposal: Proposal
  readonly isCurrent: boolean
  readonly isChecked: boolean
  readonly onToggle: (id: string) => void
  readonly onOpen: (id: string) => void
}

/** Memoized, since the list renders again on every scroll event. */
const ProposalRow = memo(function ProposalRow({ proposal, isCurrent, isChecked, onToggle, onOpen }: ProposalRowProps) {
  useTranslation()
  const { id, state } = proposal
  const subject = subjectOf(proposal)
  return (
    <div
      id={`proposal-${id}`}
      role="option"
      aria-selected={isChecked || isCurrent}
      aria-current={isCurrent}
      className={`flex h-full cursor-default gap-1 border-b border-soft pr-4 transition-colors duration-150 ${isCurrent ? 'bg-selected group-focus:shadow-[inset_2px_0_0_var(--color-accent)]' : 'hover:bg-soft'}`}
      onClick={(event) => (event.metaKey || event.ctrlKey || event.shiftKey ? onToggle(id) : onOpen(id))}
      data-testid="proposal"
    >
      {/* Not a real checkbox: an option must not contain controls. The option itself states its selection. */}
      <span
        aria-hidden
        title={t('upkeep.choose')}
        className="flex w-9 shrink-0 items-center justify-center"
        onClick={(event) => {
          event.stopPropagation()
          onToggle(id)
        }}
        data-testid="choose"
      >
        <span
          className={`flex size-4 items-center justify-center rounded-[4px] border ${isChecked ? 'border-accent bg-accent text-paper' : 'border-faint'}`}
        >
          {isChecked && <Check size={12} strokeWidth={3} />}
        </span>
      </span>
      <span className="flex min-w-0 flex-1 flex-col justify-center gap-0.5">
        <span className="truncate">{clipLine(stripMarks(subject?.text ?? ''), 200)}</span>
        <span className="flex min-w-0 items-baseline gap-2 text-[12px] text-muted">
          <span className="shrink-0">{t(`upkeep.rule.${ruleName(proposal)}`)}</span>
          {state !== 'open' && <span className="shrink-0">{t(`upkeep.state.${state}`)}</span>}
          <span className="min-w-0 truncate font-mono text-[11px]">{subject && `${subject.path}:${subject.line}`}</span>
        </span>
      </span>
    </div>
  )
})

/** Returns the line that represents the suggestion in the list: its first evidence, or the first added line. */
function subjectOf({ rule, evidence, files }: Proposal): Evidence | undefined {
  const [first] = evidence
  if (rule !== 'outside') return first
  const [file] = files
  const [edit] = file?.edits ?? []
  // The first line that the edit adds.
  const newLine = edit?.after.findIndex((line) => line.trim() !== '' && !edit.before.includes(line)) ?? -1
  const text = edit?.after[newLine]
  return file && edit && text !== undefined ? { path: file.path, line: edit.line + newLine, text: text.trim() } : first
}
