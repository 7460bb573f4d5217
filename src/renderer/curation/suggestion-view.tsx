import { t } from 'i18next'
import { useState, memo, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useQuery } from '@tanstack/react-query'
import type { Suggestion, Evidence } from '#shared/contract/index.ts'
import { formatMoment, formatMoney, formatPercent } from '#lib/i18n/format.ts'
import { Patch, type PatchProps } from '#lib/diff-view/patch.tsx'
import { PlaceMark } from '#lib/notes/note-marks.tsx'
import { paths } from '#lib/router/paths.ts'
import { ActionItem, ActionMenu, Button, EmptyState, Form, QueryView } from '#lib/ui/elements.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { api } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { Sheet } from '#lib/ui/frames.tsx'
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { withoutMarks } from '#shared/markdown/visibility.ts'
import { canSwapLines, snoozes, type Suggestions, type Snooze } from './use-suggestions.ts'
import { RawRequest } from '../chat/context/context-view.tsx'
import { keysOfEvent, formatBoundKeys } from '#lib/util/shortcuts.ts'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'

interface SuggestionViewProps {
  readonly inbox: Suggestions
  readonly suggestion: Suggestion
  readonly isEditing: boolean
  readonly onEdit: (isEditing: boolean) => void
}

/** Returns the rule, or `summary`: new lines of an edited summary of a chat need approval, too. */
function ruleName({ rule, detail, files }: Suggestion): Suggestion['rule'] | 'summary' {
  const isSummary =
    rule === 'outside' && (detail.target ?? '') === '' && /\d{4}-\d{2}-\d{2}-[^/]+\.md$/.test(files[0]?.path ?? '')
  return isSummary ? 'summary' : rule
}

export function SuggestionView({ inbox, suggestion, isEditing, onEdit }: SuggestionViewProps) {
  const { files } = suggestion
  const [isRequestOpen, setIsRequestOpen] = useState(false)
  return (
    <article className="flex min-w-0 flex-col gap-5 px-7 py-6 max-sm:px-4" data-testid="proposal-view">
      <header className="flex flex-col gap-1">
        <h2 className="text-[15px] font-semibold">{t(`suggestions.rule.${ruleName(suggestion)}`)}</h2>
        <Reason suggestion={suggestion} />
        <p className="text-[12px] text-muted">
          <Author suggestion={suggestion} /> · {formatMoment(suggestion.at)}
          {suggestion.request !== undefined && (
            <>
              {' · '}
              <Button look="link" onClick={() => setIsRequestOpen(true)}>
                {t('context.exact')}
              </Button>
            </>
          )}
        </p>
      </header>
      {isRequestOpen && suggestion.request !== undefined && (
        <ReviewRequest number={suggestion.request} onClose={() => setIsRequestOpen(false)} />
      )}
      {(suggestion.rule !== 'outside' || suggestion.author.kind === 'client') && (
        <EvidenceList suggestion={suggestion} />
      )}
      {isEditing ? (
        <SuggestionEditor inbox={inbox} suggestion={suggestion} onEdit={onEdit} />
      ) : (
        <>
          {files.map(({ path, patch, hash }) => (
            <SuggestedDiff key={path} path={path} patch={patch} isNew={hash === null} />
          ))}
          {files.length === 0 && <p className="text-muted">{t('suggestions.nothingToChange')}</p>}
          {inbox.tab === 'open' ? (
            <Actions inbox={inbox} suggestion={suggestion} onEdit={() => onEdit(true)} />
          ) : (
            <Outcome inbox={inbox} suggestion={suggestion} />
          )}
        </>
      )}
    </article>
  )
}

export function SuggestedDiff({ path, isNew, ...patch }: PatchProps & { path: string; isNew: boolean }) {
  return (
    <figure className="overflow-hidden rounded-md border border-line">
      <figcaption className="flex items-baseline gap-3 border-b border-line px-3.5 py-2">
        <Link href={paths.file(path)} className="min-w-0 truncate font-mono text-[12px] hover:underline">
          {path}
        </Link>
        <PlaceMark path={path} />
        {isNew && <span className="shrink-0 text-[12px] text-muted">{t('suggestions.newFile')}</span>}
      </figcaption>
      <Patch {...patch} />
    </figure>
  )
}

/** @param line null if the file is missing */
export function LineLink({ path, line }: { path: string; line: number | null }) {
  const pathClass = 'font-mono text-[12px] break-all'
  if (line === null) return <span className={pathClass}>{t('suggestions.stuckGone', { path })}</span>
  return (
    <Link href={paths.file(path, line)} className={`${pathClass} text-accent hover:underline`}>
      {path}:{line}
    </Link>
  )
}

function Reason({ suggestion }: { suggestion: Suggestion }) {
  const { rule, author, detail, reason } = suggestion
  const { day = '', likeness = 0, tokens = 0, target = '' } = detail
  const name = ruleName(suggestion)
  const outsideKey = author.kind === 'client' ? 'program' : name === 'summary' || target !== '' ? name : 'instructions'
  const exactKey = likeness === 1 && (rule === 'duplicate' || rule === 'logged') ? (`${rule}Exactly` as const) : rule
  const reasonKey = rule === 'outside' ? outsideKey : exactKey
  return (
    <>
      <p className="max-w-[62ch]">
        {t(`suggestions.why.${reasonKey}`, {
          day,
          likeness: formatPercent(likeness),
          count: tokens,
          target: clipLine(target, 120),
          name: author.kind === 'client' ? clipLine(author.name, 60) : '',
        })}
      </p>
      {detail.query !== undefined && (
        <p className="max-w-[62ch] break-words">{t('suggestions.foundFor', { query: clipLine(detail.query, 200) })}</p>
      )}
      {reason !== undefined && <p className="max-w-[62ch] break-words">{clipLine(reason, 600)}</p>}
    </>
  )
}

function Author({ suggestion: { author, cost } }: { suggestion: Suggestion }) {
  if (author.kind === 'client') return t('suggestions.by.client', { name: clipLine(author.name, 60) })
  if (author.kind !== 'model') return t(`suggestions.by.${author.kind}`)
  const price = cost?.usd == null ? '' : ` · ${formatMoney(cost.usd)}`
  return t('suggestions.by.model', { model: author.model }) + price
}

function EvidenceList({ suggestion: { evidence } }: { suggestion: Suggestion }) {
  return (
    <section aria-label={t('suggestions.evidence')}>
      <h3 className="pb-1 text-[12px] text-muted">{t('suggestions.evidence')}</h3>
      <ul className="flex flex-col gap-2">
        {evidence.map(({ path, line, text }, index) => (
          <li key={index} className="min-w-0 border-l-2 border-line pl-3">
            <span className="break-words">{clipLine(withoutMarks(withoutLead(text)).trim(), 500)}</span>{' '}
            <LineLink path={path} line={line} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Actions({ inbox, suggestion, onEdit }: { inbox: Suggestions; suggestion: Suggestion; onEdit: () => void }) {
  const { isBusy } = inbox
  return (
    <div className="sticky bottom-0 flex flex-wrap items-center gap-2 border-t border-soft bg-paper py-3">
      <Button look="primary" disabled={isBusy} onClick={() => void inbox.accept()}>
        {t(suggestion.files.length === 0 ? 'suggestions.lookedAt' : 'history.accept')} <Key>↵</Key>
      </Button>
      {suggestion.files.length > 0 && (
        <Button disabled={isBusy} onClick={onEdit}>
          {t('chat.edit')} <Key>E</Key>
        </Button>
      )}
      {canSwapLines(suggestion) && (
        <Button disabled={isBusy} onClick={() => void inbox.swapLines(suggestion)}>
          {t('suggestions.turn')} <Key>T</Key>
        </Button>
      )}
      <Button disabled={isBusy} onClick={() => void inbox.refuse()}>
        {t('suggestions.refuse')} <Key>R</Key>
      </Button>
      <ActionMenu
        trigger={
          <Button disabled={isBusy}>
            {t('suggestions.snooze')} <Key>S</Key>
          </Button>
        }
      >
        {(Object.keys(snoozes) as Snooze[]).map((span) => (
          <ActionItem key={span} onClick={() => void inbox.snooze(span)}>
            {t(`suggestions.snoozeFor.${span}`)}
          </ActionItem>
        ))}
      </ActionMenu>
    </div>
  )
}

function Key({ children }: { children: string }) {
  return <kbd className="font-sans text-[11px] opacity-70 pointer-coarse:hidden">{children}</kbd>
}

function Outcome({ inbox, suggestion }: { inbox: Suggestions; suggestion: Suggestion }) {
  const { state, gone: withdrawalReason, until, stateAt, stuck: conflict, files, acceptance } = suggestion
  // The change log could not store an accepted change without a change set.
  const canUndo = state === 'accepted' ? acceptance !== undefined || files.length === 0 : state !== 'withdrawn'
  const text =
    state === 'withdrawn' && withdrawalReason !== undefined
      ? t(`suggestions.withdrawn.${withdrawalReason}`)
      : state === 'snoozed' && until !== undefined
        ? t('suggestions.snoozedUntil', { when: formatMoment(until) })
        : t('suggestions.stateSince', { state: t(`suggestions.state.${state}`), when: formatMoment(stateAt) })
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 text-muted">
      {text}
      {conflict && (
        <span className="min-w-0">
          {t('suggestions.stuckOne')} <LineLink {...conflict} />
        </span>
      )}
      {canUndo && (
        <Button look="link" disabled={inbox.isBusy} onClick={() => void inbox.restore(suggestion)}>
          {t(conflict ? 'suggestions.stuckAgain' : 'common.undo')}
        </Button>
      )}
    </p>
  )
}

function ReviewRequest({ number, onClose }: { number: number; onClose: () => void }) {
  const { id: agent } = useAgent()
  const query = useQuery(api.suggestions.request.queryOptions({ input: { agent, number } }))
  return (
    <Sheet title={t('context.exact')} onClose={onClose}>
      <QueryView query={query} lines={12}>
        {(request) =>
          request ? (
            <RawRequest model={request.model} rawRequest={request.wire} />
          ) : (
            <EmptyState title={t('context.noRequest')} />
          )
        }
      </QueryView>
    </Sheet>
  )
}

function SuggestionEditor({ inbox, suggestion, onEdit }: Omit<SuggestionViewProps, 'isEditing'>) {
  const edits = suggestion.files.flatMap(({ path, edits }) => edits.map((edit) => ({ ...edit, path })))
  const [texts, setTexts] = useState(() => edits.map(({ after }) => after.join('\n')))
  const cancel = () => onEdit(false)
  const submit = () => {
    onEdit(false)
    const after = texts.map((text) => (text === '' ? [] : text.split('\n')))
    void inbox.acceptEdited(suggestion, after)
  }
  return (
    <Form
      className="flex flex-col gap-3"
      onSubmit={submit}
      onKeyDown={(event) => {
        event.stopPropagation()
        const keys = keysOfEvent(event.nativeEvent)
        if (keys === 'Escape') cancel()
        if (keys === 'Mod+Enter') submit()
      }}
    >
      {edits.map(({ path, line, before }, index) => (
        <label key={index} className="flex flex-col gap-1">
          <span className="font-mono text-[12px] text-muted">
            {path}:{line}
          </span>
          {before.length > 0 && (
            <span className="rounded-sm bg-removed-wash px-2.5 py-1 font-mono text-[12px] whitespace-pre-wrap text-bad">
              {before.join('\n')}
            </span>
          )}
          <textarea
            autoFocus={index === 0}
            value={texts[index]}
            rows={Math.min(16, Math.max(2, (texts[index] ?? '').split('\n').length + 1))}
            placeholder={t('suggestions.removesLines')}
            onChange={(event) => setTexts(texts.map((text, i) => (i === index ? event.target.value : text)))}
            className="rounded-sm border border-line bg-raised px-2.5 py-1.5 font-mono text-[12px] outline-none focus:border-accent"
          />
        </label>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={inbox.isBusy} title={formatBoundKeys('Mod+Enter')}>
          {t('suggestions.acceptEdited')}
        </Button>
        <Button onClick={cancel}>{t('common.cancel')}</Button>
      </div>
    </Form>
  )
}

const rowHeight = 66

export function SuggestionList({ inbox, onOpen }: { inbox: Suggestions; onOpen: (id: string) => void }) {
  const { suggestions, current, index, checkedIds, toggleChecked } = inbox
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: suggestions.length,
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
      aria-label={t('suggestions.title')}
      aria-multiselectable
      aria-activedescendant={current ? `proposal-${current.id}` : undefined}
      className="group min-h-0 flex-1 overflow-y-auto outline-none"
      data-testid="proposals"
    >
      <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index: at, start }) => {
          const suggestion = suggestions[at]
          if (!suggestion) return null
          return (
            <div
              key={suggestion.id}
              className="absolute inset-x-0 top-0"
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
            >
              <SuggestionRow
                suggestion={suggestion}
                isCurrent={suggestion.id === current?.id}
                isChecked={checkedIds.has(suggestion.id)}
                onToggle={toggleChecked}
                onOpen={onOpen}
              />
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface SuggestionRowProps {
  readonly suggestion: Suggestion
  readonly isCurrent: boolean
  readonly isChecked: boolean
  readonly onToggle: (id: string) => void
  readonly onOpen: (id: string) => void
}

/** Memoized, since the list renders again on every scroll event. */
const SuggestionRow = memo(function SuggestionRow(props: SuggestionRowProps) {
  const { suggestion, isCurrent, isChecked, onToggle, onOpen } = props
  useTranslation()
  const { id, state } = suggestion
  const subject = subjectOf(suggestion)
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
        title={t('suggestions.choose')}
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
        <span className="truncate">{clipLine(withoutMarks(withoutLead(subject?.text ?? '')).trim(), 200)}</span>
        <span className="flex min-w-0 items-baseline gap-2 text-[12px] text-muted">
          <span className="shrink-0">{t(`suggestions.rule.${ruleName(suggestion)}`)}</span>
          {state !== 'open' && <span className="shrink-0">{t(`suggestions.state.${state}`)}</span>}
          <span className="min-w-0 truncate font-mono text-[11px]">{subject && `${subject.path}:${subject.line}`}</span>
        </span>
      </span>
    </div>
  )
})

/** Returns the line that represents the suggestion in the list: its first evidence, or the first added line. */
function subjectOf({ rule, evidence, files }: Suggestion): Evidence | undefined {
  const [first] = evidence
  if (rule !== 'outside') return first
  const [file] = files
  const [edit] = file?.edits ?? []
  const newLine = edit?.after.findIndex((line) => line.trim() !== '' && !edit.before.includes(line)) ?? -1
  const text = edit?.after[newLine]
  return file && edit && text !== undefined ? { path: file.path, line: edit.line + newLine, text: text.trim() } : first
}
