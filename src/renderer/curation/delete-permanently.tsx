import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { DeletionMatches, DeletionOutcome, DeletionPlace } from '#shared/contract/index.ts'
import { maxSearchText } from '#shared/util/limits.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { Checkbox, Button, Form, Progress, TextInput, TextLink, QueryView } from '#lib/ui/elements.tsx'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { formatBytes } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { Dialog, ViewHeader } from '#lib/ui/frames.tsx'
import { clipLine } from '#lib/util/clip.ts'

/** Number of listed places of a kind, and of remaining places. */
const maxListed = 50

function useDeletion(agent: string) {
  const [words, setWords] = useState('')
  const [lines, setLines] = useState<ReadonlySet<string>>(new Set())
  const [keptPaths, setKeptPaths] = useState<ReadonlySet<string>>(new Set())
  const [progress, setProgress] = useState({ done: 0, total: 0 })
  const run = useMutation({
    mutationFn: async (deleteOldHistory: boolean) => {
      const request = { agent, texts: [words, ...lines], keep: [...keptPaths], deleteOldHistory }
      let outcome: DeletionOutcome | undefined
      for await (const step of await client.permanentDeletion.run(request))
        if ('left' in step) outcome = step
        else setProgress(step)
      return outcome
    },
    onSettled: () => {
      setProgress({ done: 0, total: 0 })
      // Any cached data may contain the erased words.
      queryClient.removeQueries({ type: 'inactive' })
      void queryClient.invalidateQueries()
    },
  })
  const query = useQuery({
    ...api.permanentDeletion.find.queryOptions({ input: { agent, words } }),
    enabled: words !== '' && run.status !== 'pending' && run.status !== 'success',
    retry: false,
    gcTime: 0,
  })
  const search = (next: string) => {
    setWords(next.trim())
    setLines(new Set())
    setKeptPaths(new Set())
    run.reset()
  }
  return { words, search, lines, setLines, keptPaths, setKeptPaths, progress, run, query }
}

type DeletionState = ReturnType<typeof useDeletion>

export function DeletePermanentlyView() {
  const { id: agent } = useAgent()
  const state = useDeletion(agent)
  const [typedWords, setTypedWords] = useState('')
  const { words, search, query, progress, run } = state
  return (
    <section aria-label={t('deletePermanently.title')} className="flex min-w-0 flex-1 flex-col" data-testid="forget">
      <ViewHeader title={t('deletePermanently.title')} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-[760px] flex-col gap-5 px-7 py-6 max-sm:px-4">
          <p className="max-w-[66ch] text-muted">{t('deletePermanently.lead')}</p>
          <Form className="flex flex-wrap gap-2" onSubmit={() => search(typedWords)}>
            <TextInput
              autoFocus
              value={typedWords}
              maxLength={maxSearchText}
              disabled={run.isPending}
              aria-label={t('deletePermanently.words')}
              placeholder={t('deletePermanently.words')}
              onChange={setTypedWords}
              className="min-w-0 flex-1 basis-60 px-3 py-1.5"
            />
            <Button type="submit" disabled={typedWords.trim() === '' || run.isPending}>
              {t('deletePermanently.look')}
            </Button>
          </Form>
          {run.isPending ? (
            <div role="status" className="flex flex-wrap items-center gap-3">
              <Progress label={t('deletePermanently.running')} {...progress} className="w-48" />
              <span className="text-muted">{t('deletePermanently.running')}</span>
              <Button onClick={() => void runWithErrorToast(client.permanentDeletion.stop({ agent: agent }))}>
                {t('chat.stop')}
              </Button>
            </div>
          ) : run.data ? (
            <DeletionOutcomeView outcome={run.data} words={words} />
          ) : words === '' ? null : (
            <QueryView query={query} lines={8}>
              {(matches) => <DeletionPreview state={state} matches={matches} />}
            </QueryView>
          )}
        </div>
      </div>
    </section>
  )
}

function DeletionPreview({ state, matches }: { state: DeletionState; matches: DeletionMatches }) {
  const [hasDialog, setHasDialog] = useState(false)
  const [deleteOldHistory, setDeleteOldHistory] = useState(false)
  const { words, lines, setLines, run } = state
  const { places, near, git, models } = matches
  return (
    <>
      {places.every(({ kind }) => kind === 'oldHistory') && <p>{t('deletePermanently.nothing', { words })}</p>}
      {[...Map.groupBy(places, ({ kind }) => kind)].map(([kind, kindPlaces]) => (
        <Section
          key={kind}
          title={t(`deletePermanently.kind.${kind}`)}
          aside={t('deletePermanently.places', { count: kindPlaces.length })}
          hint={t(`deletePermanently.about.${kind as 'other'}`, { defaultValue: '' })}
        >
          {kind !== 'index' && (
            <ul className="flex flex-col gap-2">
              {kindPlaces.slice(0, maxListed).map((place, index) => (
                <Place key={index} state={state} place={place} />
              ))}
              {kindPlaces.length > maxListed && (
                <li className="text-muted">{t('deletePermanently.more', { count: kindPlaces.length - maxListed })}</li>
              )}
            </ul>
          )}
        </Section>
      ))}
      {near.length > 0 && (
        <Section title={t('deletePermanently.near')} hint={t('deletePermanently.nearHint')}>
          <ul className="flex flex-col gap-1.5">
            {near.map(({ path, line, text }) => (
              <li key={text}>
                <Checkbox
                  checked={lines.has(text)}
                  onChange={() => setLines(lines.symmetricDifference(new Set([text])))}
                >
                  {clipLine(text, 300)}
                </Checkbox>
                <TextLink href={paths.file(path, line)} className="ml-6 font-mono text-[12px]">
                  {path}:{line}
                </TextLink>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title={t('deletePermanently.reach.title')}>
        <ul className="flex list-disc flex-col gap-0.5 pl-5 break-words">
          {models.length > 0 && <li>{t('deletePermanently.reach.models', { models: models.join(', ') })}</li>}
          {git !== null && <li>{t('deletePermanently.reach.git', { path: git })}</li>}
          <li>{t('deletePermanently.reach.backups')}</li>
          <li>{t('deletePermanently.reach.programs')}</li>
          <li>{t('deletePermanently.reach.agents')}</li>
        </ul>
      </Section>
      {places.length + near.length > 0 && (
        <div className="sticky bottom-0 border-t border-soft bg-paper py-3">
          <Button look="primary" disabled={places.length === 0 && lines.size === 0} onClick={() => setHasDialog(true)}>
            {t('deletePermanently.run')}
          </Button>
        </div>
      )}
      {hasDialog && (
        <Dialog
          title={t('deletePermanently.sure', { words })}
          action={t('deletePermanently.title')}
          onSubmit={() => run.mutate(deleteOldHistory)}
          onClose={() => setHasDialog(false)}
        >
          <p>{t('deletePermanently.sureHint')}</p>
          {places.some(({ kind }) => kind === 'oldHistory') && (
            <Checkbox checked={deleteOldHistory} onChange={setDeleteOldHistory}>
              {t('deletePermanently.deleteOldHistory')}
            </Checkbox>
          )}
        </Dialog>
      )}
    </>
  )
}

interface SectionProps {
  readonly title: string
  readonly aside?: string
  readonly hint?: string
  readonly children: ReactNode
}

function Section({ title, aside, hint, children }: SectionProps) {
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <h2 className="flex items-baseline gap-2 font-semibold">
        {title}
        <span className="font-normal text-muted">{aside}</span>
      </h2>
      {hint && <p className="text-[12px] text-muted">{hint}</p>}
      {children}
    </section>
  )
}

function Place({ state, place }: { state: DeletionState; place: DeletionPlace }) {
  const { keptPaths, setKeptPaths } = state
  const { kind, path, count, lines, isNamed, keepsPrivate, bytes } = place
  const found =
    count === 0
      ? t('deletePermanently.unknown')
      : t(`deletePermanently.${kind === 'history' ? 'versions' : 'lines'}`, { count })
  return (
    <li className="min-w-0 border-l-2 border-line pl-3">
      <span className="flex flex-wrap items-baseline gap-x-2 text-[12px] text-muted">
        {kind === 'note' && (
          <input
            type="checkbox"
            aria-label={t('deletePermanently.include', { path })}
            checked={!keptPaths.has(path)}
            onChange={() => setKeptPaths(keptPaths.symmetricDifference(new Set([path])))}
            className="size-4 shrink-0 translate-y-0.5 accent-accent"
          />
        )}
        <span className="min-w-0 font-mono break-all text-text">
          {kind === 'note' ? <Link href={paths.file(path, lines[0]?.line)}>{path}</Link> : path}
        </span>
        <span>{isNamed ? t('deletePermanently.named') : found}</span>
        {bytes !== undefined && <span>{formatBytes(bytes)}</span>}
        {keepsPrivate && <span>{t('deletePermanently.keepsPrivate')}</span>}
      </span>
      {lines.slice(0, 3).map(({ line, text }, index) => (
        <span key={index} className="block text-[12px] break-words text-muted">
          {line === undefined ? '' : `${line}: `}
          {clipLine(text, 200)}
        </span>
      ))}
    </li>
  )
}

function DeletionOutcomeView({ outcome, words }: { outcome: DeletionOutcome; words: string }) {
  const { removed, left: remaining, isStopped } = outcome
  return (
    <div role="status" className="flex flex-col gap-3" data-testid="forgotten">
      <h2 className="font-semibold">
        {isStopped
          ? t('deletePermanently.stopped')
          : remaining.length === 0
            ? t('deletePermanently.done', { words })
            : t('deletePermanently.partly')}
      </h2>
      <ul className="flex flex-col gap-0.5">
        {[...Map.groupBy(removed, ({ kind }) => kind)].map(([kind, { length: count }]) => (
          <li key={kind}>
            {t(`deletePermanently.kind.${kind}`)}{' '}
            <span className="text-muted">{t('deletePermanently.places', { count })}</span>
          </li>
        ))}
      </ul>
      {remaining.length > 0 && (
        <Section title={t('deletePermanently.left')}>
          <ul className="flex flex-col gap-0.5">
            {remaining.slice(0, maxListed).map(({ kind, path }) => (
              <li key={`${kind}/${path}`} className="break-all">
                <span className="font-mono text-[12px]">{path}</span>{' '}
                <span className="text-[12px] text-muted">{t(`deletePermanently.kind.${kind}`)}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <p className="max-w-[66ch] text-muted">{t('deletePermanently.verified')}</p>
    </div>
  )
}
