/** Saved questions and the lines that they should find: which of them do, and how that went over time (M44). */
import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, CircleX, Download, Play, Trash2, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { Link } from 'wouter'
import type { Agent, Check } from '../../shared/contract/index.ts'
import { api, client } from '../api/index.ts'
import { ErrorState, tellDone } from '../feedback/index.ts'
import { formatScore } from '../i18n/format.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { download } from '../ui/download.ts'
import { parseLines, paths } from '../navigate.ts'
import { EmptyState, Skeleton } from '../ui/states.tsx'
import { PassChart } from './pass-chart.tsx'
import { SearchTabs } from '../search/search-tabs.tsx'

export function ChecksView({ agent: { id: agent } }: { agent: Agent }) {
  const { t } = useTranslation()
  const list = useQuery(api.checks.list.queryOptions({ input: { agent } }))
  const run = useMutation(api.checks.run.mutationOptions())
  const stop = useMutation(api.checks.stop.mutationOptions())
  const { checks = [], runs = [], progress = null } = list.data ?? {}
  const judged = checks.filter(({ outcome }) => outcome !== null)
  const passed = judged.filter(({ outcome }) => outcome?.rank !== null).length
  return (
    <section aria-label={t('checks.title')} className="flex min-w-0 flex-1 flex-col">
      <SearchTabs>
        <Transfer agent={agent} isEmpty={checks.length === 0} />
        {progress ? (
          <Button onClick={() => stop.mutate({ agent })}>
            <progress aria-label={t('checks.running')} value={progress.done} max={progress.total} className="w-16" />
            {t('common.cancel')}
          </Button>
        ) : (
          <Button look="primary" disabled={checks.length === 0} onClick={() => run.mutate({ agent })}>
            <Play size={13} aria-hidden />
            {t('checks.run')}
          </Button>
        )}
      </SearchTabs>
      <div className="min-h-0 flex-1 overflow-y-auto pb-8">
        {list.error ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} />
        ) : list.isPending ? (
          <Skeleton lines={9} />
        ) : (
          <>
            <NewCheck agent={agent} />
            {checks.length === 0 ? (
              <EmptyState title={t('checks.empty')} hint={t('checks.emptyHint')} />
            ) : (
              <>
                <div className="flex flex-wrap items-start justify-between gap-4 px-5 pb-3">
                  <p role="status" className="text-[15px] font-semibold" data-testid="pass-rate">
                    {t('checks.rate', { passed, total: judged.length })}
                  </p>
                  <PassChart runs={runs} />
                </div>
                <ul>
                  {checks.map((check) => (
                    <CheckRow key={check.id} agent={agent} check={check} />
                  ))}
                </ul>
              </>
            )}
          </>
        )}
      </div>
    </section>
  )
}

function CheckRow({ agent, check }: { agent: string; check: Check }) {
  const { t } = useTranslation()
  const { id, query, relevant, outcome } = check
  const [first] = relevant
  const add = useMutation(api.checks.add.mutationOptions())
  const remove = useMutation(
    api.checks.remove.mutationOptions({
      onSuccess({ removed }) {
        const undo = async () => removed && client.checks.add({ agent, question: removed })
        tellDone(t('checks.removed'), undo, 'plain')
      },
    }),
  )
  return (
    <li
      data-testid="check"
      data-passed={outcome === null ? undefined : outcome.rank !== null}
      className="flex items-start gap-3 border-t border-soft px-5 py-2.5 [contain-intrinsic-size:auto_60px] [content-visibility:auto]"
    >
      <Mark check={check} />
      <div className="min-w-0 flex-1">
        <Link
          href={paths.search(query, first && { path: first.path, line: first.startLine })}
          className="hover:underline"
        >
          {query}
        </Link>
        <ul className="flex flex-wrap gap-x-4 text-[12px]">
          {relevant.map(({ path, startLine, endLine, state }) => (
            <li key={`${path}:${startLine}`}>
              <Link href={paths.source(path, startLine)} className="font-mono hover:underline">
                {path}:{startLine === endLine ? startLine : `${startLine}–${endLine}`}
              </Link>
              {state !== 'there' && <span className="pl-2 text-warning">{t(`checks.${state}`)}</span>}
              {state === 'changed' && (
                <Button
                  look="link"
                  className="pl-2"
                  onClick={() => add.mutate({ agent, question: { query, relevant: [{ path, startLine, endLine }] } })}
                >
                  {t('checks.takeNew')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </div>
      <p className="shrink-0 text-right text-[12px] text-muted">
        {outcome?.rank != null
          ? t('checks.found', { rank: outcome.rank, score: formatScore(outcome.score) })
          : outcome?.reason && t(`checks.reason.${outcome.reason}`, { score: formatScore(outcome.score) })}
      </p>
      <IconButton label={t('checks.remove', { query })} onClick={() => remove.mutate({ agent, id })}>
        <Trash2 size={14} />
      </IconButton>
    </li>
  )
}

function Mark({ check: { outcome } }: { check: Check }) {
  const { t } = useTranslation()
  const Icon = outcome === null ? CircleDashed : outcome.rank === null ? CircleX : CircleCheck
  const color = outcome === null ? 'text-faint' : outcome.rank === null ? 'text-bad' : 'text-good'
  const label = outcome === null ? 'checks.notRun' : outcome.rank === null ? 'checks.fails' : 'checks.passes'
  return <Icon size={16} role="img" aria-label={t(label)} className={`mt-0.5 shrink-0 ${color}`} />
}

function NewCheck({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const [query, setQuery] = useState('')
  const [place, setPlace] = useState('')
  const lines = parseLines(place)
  const add = useMutation(
    api.checks.add.mutationOptions({
      onSuccess: () => {
        setQuery('')
        setPlace('')
      },
    }),
  )
  const field =
    'min-h-7 min-w-0 rounded-sm border border-line bg-raised px-2 outline-none focus:border-accent placeholder:text-faint'
  return (
    <form
      className="flex gap-2 px-5 py-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (lines && query.trim() !== '') add.mutate({ agent, question: { query, relevant: [lines] } })
      }}
    >
      <input
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        aria-label={t('checks.question')}
        placeholder={t('checks.question')}
        className={`${field} flex-1`}
      />
      <input
        value={place}
        list="check-files"
        spellCheck={false}
        onChange={(event) => setPlace(event.target.value)}
        aria-label={t('checks.lines')}
        placeholder="memory/2026-01-20.md:12-14"
        className={`${field} w-64 font-mono text-[12px]`}
      />
      <datalist id="check-files">
        {(files.data ?? []).map(({ path }) => (
          <option key={path} value={`${path}:1`} />
        ))}
      </datalist>
      <Button type="submit" disabled={!lines || query.trim() === '' || add.isPending}>
        {t('checks.add')}
      </Button>
    </form>
  )
}

/** In and out in the form that `commonplace eval` reads too. */
function Transfer({ agent, isEmpty }: { agent: string; isEmpty: boolean }) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
  const take = useMutation({
    mutationFn: async (file: File) => client.checks.import({ agent, text: await file.text() }),
    onSuccess: ({ added }) => toast.success(t('checks.imported', { count: added })),
  })
  const save = useMutation(
    api.checks.export.mutationOptions({ onSuccess: ({ text }) => download('queries.jsonl', text) }),
  )
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".jsonl,.ndjson"
        aria-label={t('checks.import')}
        className="hidden"
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file) take.mutate(file)
          event.target.value = ''
        }}
      />
      <Button look="quiet" onClick={() => input.current?.click()}>
        <Upload size={13} aria-hidden />
        {t('checks.import')}
      </Button>
      <Button look="quiet" disabled={isEmpty} onClick={() => save.mutate({ agent })}>
        <Download size={13} aria-hidden />
        {t('checks.export')}
      </Button>
    </>
  )
}
