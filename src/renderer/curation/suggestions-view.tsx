import { t } from 'i18next'
import { ArrowLeft, ListChecks, Sparkles, X } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { ReviewOutcome, ReviewEstimate } from '#shared/contract/index.ts'
import { EmptyState, QueryView, Button, IconButton, Choice, Progress, TextLink } from '#lib/ui/elements.tsx'
import { formatMoment, formatMoney, formatNumber, formatShort } from '#lib/i18n/format.ts'
import { ViewHeader, Dialog } from '#lib/ui/frames.tsx'
import { api } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { SuggestionList, LineLink, SuggestionView, SuggestedDiff } from './suggestion-view.tsx'
import { suggestionTabs, useSuggestions, type Suggestions } from './use-suggestions.ts'
import { explainCode } from '#shared/i18n/explain.ts'
import { paths } from '#lib/router/paths.ts'

/** @param suggestion id of the suggestion to select first */
export function SuggestionsView({ suggestion }: { suggestion: string | undefined }) {
  const { id: agent } = useAgent()
  const inbox = useSuggestions(agent, suggestion)
  const [isEditing, setIsEditing] = useState(false)
  const [isReviewOpen, setIsReviewOpen] = useState(false)
  const [isDetailOpen, setIsDetailOpen] = useState(suggestion !== undefined)
  const { query, current, suggestions, tab, checkedIds } = inbox
  const view = useRef<HTMLElement>(null)
  const details = useRef<HTMLDivElement>(null)
  /** Shows the change in a narrow window, instead of the list. @returns false if it is shown already */
  const openDetails = () => {
    if (details.current?.checkVisibility()) return false
    setIsDetailOpen(true)
    view.current?.focus({ preventScroll: true })
    return true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || isHandledByTarget(event)) return
    const edit = () => current && current.files.length > 0 && tab === 'open' && setIsEditing(true)
    const accept = () => (checkedIds.size > 0 || !openDetails()) && void inbox.accept()
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    const action = keyActions(inbox, edit, accept)[event.ctrlKey || event.metaKey ? `Mod+${key}` : key]
    if (!action) return
    event.preventDefault()
    action()
  }
  // Removing the last suggestion drops the focus. The view takes it, so that keys such as `u` still work.
  const isEmpty = suggestions.length === 0
  useEffect(() => {
    if (isEmpty && document.activeElement === document.body) view.current?.focus({ preventScroll: true })
  }, [isEmpty])
  return (
    <section
      ref={view}
      tabIndex={-1}
      aria-label={t('suggestions.title')}
      className="@container flex min-w-0 flex-1 flex-col outline-none"
      onKeyDown={onKeyDown}
      data-testid="inbox"
    >
      <ViewHeader
        title={t('suggestions.title')}
        aside={query.data ? t('suggestions.count', { count: query.data.open.length }) : ''}
      >
        <Choice
          label={t('suggestions.shown')}
          value={tab}
          options={suggestionTabs.map((value) => ({ value, name: t(`suggestions.part.${value}`) }))}
          onChoose={inbox.showTab}
        />
        <ScanButtons inbox={inbox} onReview={() => setIsReviewOpen(true)} />
      </ViewHeader>
      <UndoConflictBanner inbox={inbox} />
      <ReviewNote inbox={inbox} onReview={() => setIsReviewOpen(true)} />
      {isReviewOpen && (
        <ReviewDialog
          onStart={() => {
            setIsReviewOpen(false)
            inbox.review()
          }}
          onClose={() => setIsReviewOpen(false)}
        />
      )}
      <QueryView query={query} lines={9}>
        {() =>
          suggestions.length === 0 ? (
            <NoSuggestions inbox={inbox} />
          ) : (
            <div className="flex min-h-0 flex-1">
              <div
                className={`flex min-w-0 flex-col border-r border-line @max-[760px]:w-full @max-[760px]:border-r-0 @min-[760px]:w-[42%] @min-[760px]:max-w-[440px] @min-[760px]:min-w-[300px] ${isDetailOpen ? '@max-[760px]:hidden' : ''}`}
              >
                {checkedIds.size > 0 && (
                  <div className="flex flex-wrap items-center gap-x-3 border-b border-soft px-3 py-1 text-[12px]">
                    <span className="text-muted">{t('suggestions.chosen', { count: checkedIds.size })}</span>
                    <CheckedActions inbox={inbox} />
                  </div>
                )}
                <SuggestionList
                  inbox={inbox}
                  onOpen={(id) => {
                    inbox.select(id)
                    setIsEditing(false)
                    openDetails()
                  }}
                />
              </div>
              <div
                ref={details}
                className={`min-w-0 flex-1 overflow-y-auto ${isDetailOpen ? '' : '@max-[760px]:hidden'}`}
              >
                <Button
                  icon={ArrowLeft}
                  look="quiet"
                  className="mt-2 ml-2 @min-[760px]:hidden"
                  onClick={() => setIsDetailOpen(false)}
                >
                  {t('suggestions.back')}
                </Button>
                {checkedIds.size > 1 && tab === 'open' ? (
                  <CheckedView inbox={inbox} />
                ) : (
                  current && (
                    <SuggestionView
                      key={current.id}
                      inbox={inbox}
                      suggestion={current}
                      isEditing={isEditing}
                      onEdit={setIsEditing}
                    />
                  )
                )}
              </div>
            </div>
          )
        }
      </QueryView>
    </section>
  )
}

function isHandledByTarget({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (/^(BUTTON|A)$/.test(target.tagName) || target.role === 'radio') return key === 'Enter' || key === ' '
  return target.tagName === 'TEXTAREA' || (target instanceof HTMLInputElement && target.type !== 'checkbox')
}

function keyActions(inbox: Suggestions, edit: () => void, accept: () => void): Readonly<Record<string, () => void>> {
  const { index, current, selectAt } = inbox
  const selectNext = () => selectAt(index + 1)
  const selectPrevious = () => selectAt(index - 1)
  const toggle = () => current && inbox.toggleChecked(current.id)
  return {
    j: selectNext,
    ArrowDown: selectNext,
    k: selectPrevious,
    ArrowUp: selectPrevious,
    PageDown: () => selectAt(index + 10),
    PageUp: () => selectAt(index - 10),
    Home: () => selectAt(0),
    End: () => selectAt(inbox.suggestions.length - 1),
    x: toggle,
    ' ': toggle,
    'Mod+a': inbox.toggleAll,
    Escape: inbox.uncheckAll,
    Enter: accept,
    e: edit,
    r: () => void inbox.refuse(),
    s: () => void inbox.snooze('week'),
    t: () => current && void inbox.swapLines(current),
    u: () => void inbox.undo(),
  }
}

function CheckedActions({ inbox }: { inbox: Suggestions }) {
  const actions = [
    ['history.accept', inbox.accept],
    ['suggestions.refuse', inbox.refuse],
    ['suggestions.chooseAll', inbox.toggleAll],
    ['suggestions.chooseNone', inbox.uncheckAll],
  ] as const
  return actions.map(([label, run]) => (
    <Button key={label} look="link" disabled={inbox.isBusy} onClick={() => void run()}>
      {t(label)}
    </Button>
  ))
}

function ScanButtons({ inbox, onReview }: { inbox: Suggestions; onReview: () => void }) {
  const progress = inbox.query.data?.progress
  if (progress)
    return (
      <Button onClick={inbox.stop}>
        <Progress
          label={t(inbox.query.data?.isReviewing ? 'suggestions.review.asking' : 'suggestions.looking')}
          {...progress}
          className="w-16"
        />
        {t('common.cancel')}
      </Button>
    )
  return (
    <>
      <Button icon={ListChecks} onClick={inbox.scan}>
        {t('suggestions.look')}
      </Button>
      <Button icon={Sparkles} onClick={onReview}>
        {t('suggestions.review.open')}
      </Button>
    </>
  )
}

function NoSuggestions({ inbox }: { inbox: Suggestions }) {
  const scannedAt = inbox.query.data?.lookedAt ?? null
  if (inbox.tab === 'done') return <EmptyState title={t('suggestions.noneDone')} />
  if (scannedAt === null)
    return (
      <EmptyState title={t('suggestions.never')} hint={t('suggestions.hint')}>
        <Button look="primary" disabled={inbox.query.data?.progress != null} onClick={inbox.scan}>
          {t('suggestions.look')}
        </Button>
      </EmptyState>
    )
  return (
    <EmptyState title={t('suggestions.empty')} hint={t('suggestions.lookedLast', { when: formatMoment(scannedAt) })} />
  )
}

function CheckedView({ inbox }: { inbox: Suggestions }) {
  const { id: agent } = useAgent()
  const ids = inbox.targets.map(({ id }) => id)
  const query = useQuery(api.suggestions.preview.queryOptions({ input: { agent, ids } }))
  return (
    <article className="flex min-w-0 flex-col gap-5 px-7 py-6 max-sm:px-4" data-testid="chosen-view">
      <header className="flex flex-col gap-1">
        <h2 className="text-[15px] font-semibold">{t('suggestions.asOne', { count: ids.length })}</h2>
        <p className="max-w-[62ch] text-muted">{t('suggestions.asOneHint')}</p>
        {query.data && query.data.left > 0 && <p role="note">{t('suggestions.left', { count: query.data.left })}</p>}
        {query.data && query.data.gone > 0 && <p role="note">{t('suggestions.gone', { count: query.data.gone })}</p>}
      </header>
      <QueryView query={query} lines={8}>
        {({ files }) =>
          files.map(({ path, patch, isNew }) => (
            <SuggestedDiff key={path} path={path} patch={patch} isNew={isNew} isSmall />
          ))
        }
      </QueryView>
      <div className="sticky bottom-0 flex flex-wrap items-center gap-x-3 border-t border-soft bg-paper py-3">
        <CheckedActions inbox={inbox} />
      </div>
    </article>
  )
}

const maxPlaces = 12

function UndoConflictBanner({ inbox: { conflicts, clearConflicts } }: { inbox: Suggestions }) {
  if (conflicts.length === 0) return null
  const places = [...new Map(conflicts.map((conflict) => [`${conflict.path}:${conflict.line}`, conflict])).values()]
  return (
    <div
      role="status"
      className="flex items-start gap-3 border-b border-soft px-5 py-2 text-[12px] max-sm:px-3"
      data-testid="stuck-note"
    >
      <div className="min-w-0 flex-1">
        <p>{t('suggestions.stuck', { count: conflicts.length })}</p>
        <p className="flex flex-wrap gap-x-3">
          {places.slice(0, maxPlaces).map((place) => (
            <LineLink key={`${place.path}:${place.line}`} {...place} />
          ))}
          {places.length > maxPlaces && <span>{t('suggestions.stuckMore', { count: places.length - maxPlaces })}</span>}
        </p>
      </div>
      <IconButton icon={X} label={t('common.close')} onClick={clearConflicts} />
    </div>
  )
}

function ReviewNote({ inbox, onReview }: { inbox: Suggestions; onReview: () => void }) {
  const data = inbox.query.data
  if (!data) return null
  const { review, nextAt, isReviewing, open } = data
  if (!review && nextAt === null) return null
  const reviewIds = review ? open.filter((candidate) => candidate.review === review.id).map(({ id }) => id) : []
  const isIncomplete = review !== null && review.left > 0 && !isReviewing && review.state !== 'budget'
  return (
    <div
      className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-b border-soft px-5 py-1.5 text-[12px] text-muted max-sm:px-3"
      data-testid="review-note"
    >
      {review && (
        <span>
          {isReviewing ? t('suggestions.review.running', { model: review.model }) : <ReviewSummary review={review} />}
        </span>
      )}
      {nextAt !== null && <span>{t('suggestions.review.next', { when: formatMoment(nextAt) })}</span>}
      {reviewIds.length > 0 && inbox.tab === 'open' && (
        <Button look="link" onClick={() => inbox.checkOnly(reviewIds)}>
          {t('suggestions.review.asOne', { count: reviewIds.length })}
        </Button>
      )}
      {isIncomplete && (
        <Button look="link" onClick={onReview}>
          {t('chat.resume')}
        </Button>
      )}
    </div>
  )
}

function ReviewSummary({ review }: { review: ReviewOutcome }) {
  const { state, at, model, proposals: suggestions, usd, left, unread, code = 'internal', data = {} } = review
  const parts = [
    t('suggestions.review.last', { when: formatMoment(at), model }),
    t('suggestions.count', { count: suggestions }),
    usd && formatMoney(usd),
    state === 'budget' && t('suggestions.review.budgetReached', { count: left }),
    state === 'stopped' && t('suggestions.review.stopped', { count: left }),
    state === 'running' && t('suggestions.review.brokenOff'),
    state === 'failed' && explainCode(code, data),
    unread > 0 && t('suggestions.review.unread', { count: unread }),
  ]
  return parts.filter(Boolean).join(' · ')
}

export function ReviewDialog({ onStart, onClose }: { onStart: () => void; onClose: () => void }) {
  const { id: agent } = useAgent()
  const query = useQuery({ ...api.suggestions.estimate.queryOptions({ input: { agent } }), gcTime: 0, retry: false })
  const estimate = query.data
  const canStart = estimate !== undefined && !estimate.isOffline && estimate.requests > 0 && estimate.fitting > 0
  return (
    <Dialog
      title={t('suggestions.review.title')}
      action={t('onboarding.start')}
      canSubmit={canStart}
      aside={
        <TextLink href={paths.settings('upkeep')} className="mr-auto text-[12px]" onClick={onClose}>
          {t('suggestions.review.settings')}
        </TextLink>
      }
      className="top-[14vh] max-h-[76vh] w-[min(520px,94vw)] overflow-y-auto"
      onSubmit={onStart}
      onClose={onClose}
    >
      <p className="text-muted">{t('suggestions.review.lead')}</p>
      <div role="status" aria-label={query.isPending ? t('suggestions.review.estimating') : undefined}>
        <QueryView query={query}>{(data) => <Estimate estimate={data} />}</QueryView>
      </div>
    </Dialog>
  )
}

function Estimate({ estimate }: { estimate: ReviewEstimate }) {
  const { model, isOffline, lines, requests, input, output, usd, budget, spent, fitting } = estimate
  if (isOffline) return <p role="note">{t('suggestions.review.offline')}</p>
  const spentTokens = t('suggestions.review.spentTokens', { count: spent.tokens })
  const spentText =
    usd !== null && budget.usd !== null
      ? t('suggestions.review.spentOf', { spent: formatMoney(spent.usd), budget: formatMoney(budget.usd) })
      : budget.tokens === null
        ? spentTokens
        : t('suggestions.review.spentOf', { spent: spentTokens, budget: formatShort(budget.tokens) })
  const rows = [
    [t('status.model'), model],
    [t('suggestions.review.lines'), formatNumber(lines)],
    [t('settings.requests'), formatNumber(requests)],
    [t('context.tokens'), t('suggestions.review.tokensOf', { input: formatShort(input), output: formatShort(output) })],
    [
      t('details.cost'),
      usd === null ? t('suggestions.review.unknownPrice') : t('suggestions.review.about', { cost: formatMoney(usd) }),
    ],
    [t('suggestions.review.month'), spentText],
  ] as const
  return (
    <>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1" data-testid="estimate">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words tabular">{value}</dd>
          </div>
        ))}
      </dl>
      {requests === 0 ? (
        <p role="note">{t('suggestions.review.nothing')}</p>
      ) : (
        fitting < requests && (
          <p role="note" className="text-bad">
            {fitting === 0 ? t('suggestions.review.noBudget') : t('suggestions.review.partly', { count: fitting })}
          </p>
        )
      )}
    </>
  )
}
