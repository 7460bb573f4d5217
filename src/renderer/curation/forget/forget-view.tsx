import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent, ErasureMatches, ErasureOutcome } from '#shared/contract/index.ts'
import { maxSearchText } from '#shared/util/limits.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { Button } from '#lib/ui/button.tsx'
import { Dialog } from '#lib/ui/dialog.tsx'
import { Skeleton } from '#lib/ui/states.tsx'
import { ViewHeader } from '#lib/ui/view-header.tsx'
import { forgetKinds } from '#shared/util/forget-kinds.ts'
import { ForgetPlaces } from './forget-places.tsx'
import { useForget, type ForgetState } from './use-forget.ts'

export function ForgetView({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const state = useForget(agent.id)
  const [typedWords, setTypedWords] = useState('')
  const { query, words, progress, outcome } = state
  return (
    <section aria-label={t('forget.title')} className="flex min-w-0 flex-1 flex-col" data-testid="forget">
      <ViewHeader title={t('forget.title')} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-[760px] flex-col gap-5 px-7 py-6 max-sm:px-4">
          <p className="max-w-[66ch] text-muted">{t('forget.lead')}</p>
          <form
            className="flex flex-wrap gap-2"
            onSubmit={(event) => {
              event.preventDefault()
              if (typedWords.trim() !== '') state.search(typedWords)
            }}
          >
            <input
              autoFocus
              value={typedWords}
              maxLength={maxSearchText}
              disabled={progress !== undefined}
              aria-label={t('forget.words')}
              placeholder={t('forget.words')}
              onChange={(event) => setTypedWords(event.target.value)}
              className="min-w-0 flex-1 basis-60 rounded-sm border border-line bg-raised px-3 py-1.5 outline-none focus:border-accent"
            />
            <Button type="submit" disabled={typedWords.trim() === '' || progress !== undefined}>
              {t('forget.look')}
            </Button>
          </form>
          {progress ? (
            <ForgetProgress state={state} />
          ) : outcome ? (
            <ForgetOutcomeView outcome={outcome} words={words} />
          ) : words === '' ? null : query.error ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          ) : query.data ? (
            <ForgetPreview state={state} matches={query.data} />
          ) : (
            <Skeleton lines={8} />
          )}
        </div>
      </div>
    </section>
  )
}

function ForgetProgress({ state: { progress, stop } }: { state: ForgetState }) {
  const { t } = useTranslation()
  const { done = 0, total = 0 } = progress ?? {}
  return (
    <div role="status" className="flex flex-wrap items-center gap-3">
      <progress
        aria-label={t('forget.running')}
        value={total === 0 ? undefined : done}
        max={Math.max(1, total)}
        className="w-48"
      />
      <span className="text-muted">{t('forget.running')}</span>
      <Button onClick={stop}>{t('find.stop')}</Button>
    </div>
  )
}

function ForgetPreview({ state, matches }: { state: ForgetState; matches: ErasureMatches }) {
  const { t } = useTranslation()
  const [hasDialog, setHasDialog] = useState(false)
  const { words, lines } = state
  const { places, near, git, models } = matches
  const isEmpty = places.length === 0 && near.length === 0
  return (
    <>
      {places.length === 0 && <p>{t('forget.nothing', { words })}</p>}
      <ForgetPlaces state={state} matches={matches} />
      <UnreachableCopies git={git} models={models} />
      {!isEmpty && (
        <div className="sticky bottom-0 flex flex-wrap items-center gap-2 border-t border-soft bg-paper py-3">
          <Button look="primary" disabled={places.length === 0 && lines.size === 0} onClick={() => setHasDialog(true)}>
            {t('forget.run')}
          </Button>
        </div>
      )}
      {hasDialog && (
        <Dialog
          title={t('forget.sure', { words })}
          action={t('forget.runNow')}
          onSubmit={() => {
            setHasDialog(false)
            void state.run()
          }}
          onClose={() => setHasDialog(false)}
        >
          <p>{t('forget.sureHint')}</p>
        </Dialog>
      )}
    </>
  )
}

const maxListed = 60

function ForgetOutcomeView({ outcome, words }: { outcome: ErasureOutcome; words: string }) {
  const { t } = useTranslation()
  const { removed, left: remaining, isStopped } = outcome
  const counts = forgetKinds
    .map((kind) => ({ kind, count: removed.filter((place) => place.kind === kind).length }))
    .filter(({ count }) => count > 0)
  return (
    <div role="status" className="flex flex-col gap-3" data-testid="forgotten">
      <h2 className="font-semibold">
        {isStopped ? t('forget.stopped') : remaining.length === 0 ? t('forget.done', { words }) : t('forget.partly')}
      </h2>
      {counts.length > 0 && (
        <ul className="flex flex-col gap-0.5">
          {counts.map(({ kind, count }) => (
            <li key={kind}>
              {t(`forget.kind.${kind}`)} <span className="text-muted">{t('forget.places', { count })}</span>
            </li>
          ))}
        </ul>
      )}
      {remaining.length > 0 && (
        <section aria-label={t('forget.left')}>
          <h3 className="font-semibold">{t('forget.left')}</h3>
          <ul className="flex flex-col gap-0.5">
            {remaining.slice(0, maxListed).map(({ kind, path }) => (
              <li key={`${kind}/${path}`} className="break-all">
                <span className="font-mono text-[12px]">{path}</span>{' '}
                <span className="text-[12px] text-muted">{t(`forget.kind.${kind}`)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p className="max-w-[66ch] text-muted">{t('forget.verified')}</p>
    </div>
  )
}

function UnreachableCopies({ git, models }: { git: string | null; models: readonly string[] }) {
  const { t } = useTranslation()
  const copies = [
    ...(models.length === 0 ? [] : [t('forget.reach.models', { models: models.join(', ') })]),
    ...(git === null ? [] : [t('forget.reach.git', { path: git })]),
    t('forget.reach.backups'),
    t('forget.reach.programs'),
    t('forget.reach.agents'),
  ]
  return (
    <section aria-label={t('forget.reach.title')} className="flex flex-col gap-1.5">
      <h2 className="font-semibold">{t('forget.reach.title')}</h2>
      <ul className="flex list-disc flex-col gap-0.5 pl-5">
        {copies.map((copy) => (
          <li key={copy} className="break-words">
            {copy}
          </li>
        ))}
      </ul>
    </section>
  )
}
