import { t } from 'i18next'
import { useQuery, useMutation } from '@tanstack/react-query'
import { Play, Download, Upload, CircleCheck, CircleDashed, CircleX, Trash2 } from 'lucide-react'
import { useMemo, useState, useRef } from 'react'
import type { Recall, Check, SavedSearchRun } from '#shared/contract/index.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api, client } from '#lib/api/client.ts'
import {
  EmptyState,
  QueryView,
  Chevron,
  TextLink,
  MoreButton,
  SearchField,
  Choice,
  Button,
  IconButton,
  Form,
  Progress,
  TextInput,
} from '#lib/ui/elements.tsx'
import { formatMoment, formatScore, formatPercent } from '#lib/i18n/format.ts'
import { nameRanker } from '#lib/util/name-match.ts'
import { clipLine } from '#lib/util/clip.ts'
import { useDisclosure } from '#lib/util/hooks.ts'
import { paths } from '#lib/router/paths.ts'
import { AddCheck, FileLinesField } from './what-if.tsx'
import { compareResults } from './candidates.ts'
import { PlaceLink } from '../markdown/citations.tsx'
import { InspectTabs } from '#lib/ui/frames.tsx'
import { toast } from 'sonner'
import { Link } from 'wouter'
import { download } from '#lib/util/download.ts'
import { parseLines } from '#shared/util/file-lines.ts'
import { showSuccess } from '#lib/feedback/toast.ts'

const pageSize = 100
const outcomes = ['all', 'used', 'unused', 'below', 'nothing'] as const
type Outcome = (typeof outcomes)[number]

export function RecallsView({ message }: { message: string | undefined }) {
  const { id: agent } = useAgent()
  const [outcome, setOutcome] = useState<Outcome>('all')
  const [filter, setFilter] = useState('')
  const [limit, setLimit] = useState(pageSize)
  const recalls = useQuery(api.search.recalls.queryOptions({ input: { agent } }))
  const shown = useMemo(
    () =>
      (recalls.data ?? []).filter(
        (recall) => (outcome === 'all' || outcomeOf(recall) === outcome) && mentions(recall, filter),
      ),
    [recalls.data, outcome, filter],
  )
  return (
    <section aria-label={t('recalls.title')} className="flex min-w-0 flex-1 flex-col">
      <InspectTabs>
        <SearchField label={t('recalls.filter')} value={filter} onChange={setFilter} />
        <Choice
          label={t('recalls.outcome')}
          value={outcome}
          options={outcomes.map((value) => ({ value, name: t(`recalls.${value}`) }))}
          onChoose={setOutcome}
        />
      </InspectTabs>
      {message !== undefined && (
        <p className="flex items-center gap-4 px-5 pt-2 text-muted">
          {t('recalls.ofMessage')}
          <TextLink href={paths.recalls()}>{t('recalls.ofAll')}</TextLink>
        </p>
      )}
      <div className="min-h-0 flex-1 overflow-y-auto">
        <QueryView query={recalls} lines={9}>
          {(all) =>
            shown.length === 0 ? (
              <EmptyState
                title={t(all.length === 0 ? 'recalls.empty' : 'recalls.noMatch')}
                hint={t('recalls.emptyHint')}
              />
            ) : (
              <ul className="pb-8">
                {shown.slice(0, limit).map((recall) => (
                  <RecallRow key={`${recall.session}/${recall.id}`} recall={recall} />
                ))}
                {shown.length > limit && (
                  <li className="px-5 py-2">
                    <MoreButton onClick={() => setLimit(limit + pageSize)} />
                  </li>
                )}
              </ul>
            )
          }
        </QueryView>
      </div>
    </section>
  )
}

function outcomeOf({ results, candidates }: Recall): Exclude<Outcome, 'all'> {
  if (results.some(({ use }) => use !== null)) return 'used'
  if (results.length > 0) return 'unused'
  return candidates > 0 ? 'below' : 'nothing'
}

function mentions({ query, question, title, results }: Recall, filter: string): boolean {
  return nameRanker(filter)(query, question, title, ...results.map(({ path }) => path)) !== undefined
}

function RecallRow({ recall }: { recall: Recall }) {
  const { isOpen, button } = useDisclosure()
  const outcome = outcomeOf(recall)
  const used = recall.results.filter(({ use }) => use !== null).length
  return (
    <li
      className="border-b border-soft [contain-intrinsic-size:auto_52px] [content-visibility:auto]"
      data-testid="recall"
    >
      <button {...button} className="flex w-full items-baseline gap-2 px-3 py-2 text-left hover:bg-soft">
        <Chevron isOpen={isOpen} className="self-center text-muted" />
        <span className="min-w-0 flex-1">
          <span className="block truncate">“{clipLine(recall.query)}”</span>
          <span className="block truncate text-[12px] text-muted">
            {clipLine(recall.title)} · {formatMoment(recall.at)}
          </span>
        </span>
        <span className={`tabular shrink-0 text-[12px] ${outcome === 'used' ? 'text-added' : 'text-muted'}`}>
          {outcome === 'used'
            ? t('recalls.usedCount', { used, count: recall.results.length })
            : outcome === 'unused'
              ? t('recalls.unusedCount', { count: recall.results.length })
              : t(`recalls.${outcome}`)}
        </span>
      </button>
      {isOpen && <ThenAndNow recall={recall} />}
    </li>
  )
}

function ThenAndNow({ recall }: { recall: Recall }) {
  const { id: agent } = useAgent()
  const { query, session, message, question, results } = recall
  const input = { agent, query, options: { excludeSession: session } }
  const current = useQuery(api.search.query.queryOptions({ input }))
  return (
    <div className="flex flex-col gap-2 pr-5 pb-4 pl-8">
      <p className="line-clamp-2 text-[12px] text-muted">{t('recalls.asked', { question: clipLine(question, 600) })}</p>
      <QueryView query={current} lines={3}>
        {({ results: found }) => (
          <table className="w-full table-fixed text-left text-[12px]">
            <thead className="text-muted">
              <tr>
                <th className="py-1 font-medium">{t('tool.result')}</th>
                <th className="w-20 text-right font-medium">{t('recalls.then')}</th>
                <th className="w-20 text-right font-medium">{t('recalls.now')}</th>
                <th className="w-24 pl-4 font-medium">{t('recalls.use')}</th>
                <th className="w-36">
                  <span className="sr-only">{t('savedSearches.add')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {compareResults(results, found).map(({ path, startLine, endLine, scoreThen, scoreNow, use }) => (
                <tr key={`${path}:${startLine}`} className="border-t border-soft" data-testid="recalled">
                  <td className="truncate py-1">
                    <PlaceLink path={path} startLine={startLine} endLine={endLine} />
                  </td>
                  <td className="tabular text-right">{scoreThen === undefined ? '–' : formatScore(scoreThen)}</td>
                  <td className="tabular text-right">{scoreNow === undefined ? '–' : formatScore(scoreNow)}</td>
                  <td className="pl-4 text-muted">{use ? t(`recalls.${use}`) : ''}</td>
                  <td className="py-0.5 text-right">
                    <AddCheck query={query} lines={{ path, startLine, endLine }} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </QueryView>
      <p className="flex gap-5">
        <TextLink href={paths.found(query)}>{t('details.openInSearch')} →</TextLink>
        <TextLink href={paths.chat(session, message)}>{t('recalls.openChat')} →</TextLink>
      </p>
    </div>
  )
}

export function ChecksView() {
  const { id: agent } = useAgent()
  const list = useQuery(api.savedSearches.list.queryOptions({ input: { agent } }))
  const run = useMutation(api.savedSearches.run.mutationOptions())
  const stop = useMutation(api.savedSearches.stop.mutationOptions())
  const { checks = [], runs = [], progress = null } = list.data ?? {}
  const checked = checks.filter(({ outcome }) => outcome !== null)
  const passed = checked.filter(({ outcome }) => outcome?.rank !== null).length
  return (
    <section aria-label={t('savedSearches.title')} className="flex min-w-0 flex-1 flex-col">
      <InspectTabs>
        <Transfer isEmpty={checks.length === 0} />
        {progress ? (
          <Button onClick={() => stop.mutate({ agent })}>
            <Progress label={t('savedSearches.running')} {...progress} className="w-16" />
            {t('common.cancel')}
          </Button>
        ) : (
          <Button icon={Play} look="primary" disabled={checks.length === 0} onClick={() => run.mutate({ agent })}>
            {t('savedSearches.run')}
          </Button>
        )}
      </InspectTabs>
      <div className="min-h-0 flex-1 overflow-y-auto pb-8">
        <QueryView query={list} lines={9}>
          {() => (
            <>
              <NewCheck />
              {checks.length === 0 ? (
                <EmptyState title={t('savedSearches.empty')} hint={t('savedSearches.emptyHint')} />
              ) : (
                <>
                  <div className="flex flex-wrap items-start justify-between gap-4 px-5 pb-3">
                    <p role="status" className="text-[15px] font-semibold" data-testid="pass-rate">
                      {t('savedSearches.rate', { passed, total: checked.length })}
                    </p>
                    <PassChart runs={runs} />
                  </div>
                  <ul>
                    {checks.map((check) => (
                      <SavedSearchRow key={check.id} check={check} />
                    ))}
                  </ul>
                </>
              )}
            </>
          )}
        </QueryView>
      </div>
    </section>
  )
}

function Transfer({ isEmpty }: { isEmpty: boolean }) {
  const { id: agent } = useAgent()
  const input = useRef<HTMLInputElement>(null)
  const importFile = useMutation({
    mutationFn: async (file: File) => client.savedSearches.import({ agent, text: await file.text() }),
    onSuccess: ({ added }) => toast.success(t('savedSearches.imported', { count: added })),
  })
  const exportFile = useMutation(
    api.savedSearches.export.mutationOptions({ onSuccess: ({ text }) => download('queries.jsonl', text) }),
  )
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".jsonl,.ndjson"
        aria-label={t('import.start')}
        className="hidden"
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file) importFile.mutate(file)
          event.target.value = ''
        }}
      />
      <Button icon={Upload} look="quiet" onClick={() => input.current?.click()}>
        {t('import.start')}
      </Button>
      <Button icon={Download} look="quiet" disabled={isEmpty} onClick={() => exportFile.mutate({ agent })}>
        {t('savedSearches.export')}
      </Button>
    </>
  )
}

function NewCheck() {
  const { id: agent } = useAgent()
  const [query, setQuery] = useState('')
  const [place, setPlace] = useState('')
  const lines = parseLines(place)
  const add = useMutation(
    api.savedSearches.add.mutationOptions({
      onSuccess: () => {
        setQuery('')
        setPlace('')
      },
    }),
  )
  return (
    <Form
      className="flex flex-wrap gap-2 px-5 py-3"
      onSubmit={() => lines && query.trim() !== '' && add.mutate({ agent, question: { query, relevant: [lines] } })}
    >
      <TextInput
        value={query}
        onChange={setQuery}
        aria-label={t('context.question')}
        placeholder={t('context.question')}
        className="min-h-7 min-w-[min(100%,14rem)] flex-1 px-2 placeholder:text-muted"
      />
      <FileLinesField
        value={place}
        aria-label={t('savedSearches.lines')}
        placeholder="memory/2026-01-20.md:12-14"
        className="w-64 placeholder:text-muted"
        onChange={setPlace}
      />
      <Button type="submit" disabled={!lines || query.trim() === '' || add.isPending}>
        {t('savedSearches.add')}
      </Button>
    </Form>
  )
}

const maxRuns = 60
const width = 360
const height = 56

function PassChart({ runs }: { runs: readonly SavedSearchRun[] }) {
  const shown = runs.slice(-maxRuns)
  const points = shown.map((run, index) => ({
    run,
    x: shown.length === 1 ? width / 2 : 4 + (index / (shown.length - 1)) * (width - 8),
    y: height - 4 - shareOf(run) * (height - 8),
  }))
  const last = shown.at(-1)
  if (!last) return null
  return (
    <figure className="min-w-0 shrink-0">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={t('savedSearches.chart', { count: shown.length, share: formatPercent(shareOf(last)) })}
        className="h-14 w-[360px] max-w-full"
      >
        {[0, 0.5, 1].map((share) => {
          const y = height - 4 - share * (height - 8)
          return <line key={share} x1={0} x2={width} y1={y} y2={y} className="stroke-line" strokeWidth={1} />
        })}
        <polyline
          points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
          className="fill-none stroke-accent"
          strokeWidth={1.5}
          strokeLinejoin="round"
        />
        {points.map(({ run, x, y }) => (
          <circle key={run.at} cx={x} cy={y} r={2.5} className={shareOf(run) === 1 ? 'fill-good' : 'fill-warning'}>
            <title>{`${formatMoment(run.at)}: ${run.passed}/${run.total}`}</title>
          </circle>
        ))}
      </svg>
      <details className="text-[12px]">
        <summary className="cursor-pointer text-muted">{t('common.asTable')}</summary>
        <table className="mt-1 text-left">
          <thead className="text-muted">
            <tr>
              <th className="pr-6 font-medium">{t('savedSearches.when')}</th>
              <th className="pr-6 font-medium">{t('savedSearches.cause')}</th>
              <th className="font-medium">{t('savedSearches.passed')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.toReversed().map(({ at, cause, passed, total }) => (
              <tr key={at}>
                <td className="pr-6">{formatMoment(at)}</td>
                <td className="pr-6">{t(`savedSearches.causes.${cause}`)}</td>
                <td className="tabular">
                  {passed}/{total}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

function shareOf({ passed, total }: SavedSearchRun): number {
  return total === 0 ? 1 : passed / total
}

function SavedSearchRow({ check }: { check: Check }) {
  const { id: agent } = useAgent()
  const { id, query, relevant, outcome } = check
  const [first] = relevant
  const add = useMutation(api.savedSearches.add.mutationOptions())
  const remove = useMutation(
    api.savedSearches.remove.mutationOptions({
      onSuccess({ removed }) {
        const undo = async () => removed && client.savedSearches.add({ agent, question: removed })
        showSuccess(t('savedSearches.removed'), undo, { look: 'plain' })
      },
    }),
  )
  return (
    <li
      data-testid="check"
      className="flex items-start gap-3 border-t border-soft px-5 py-2.5 [contain-intrinsic-size:auto_60px] [content-visibility:auto]"
    >
      <Mark check={check} />
      <div className="min-w-0 flex-1">
        <Link
          href={paths.found(query, first && { path: first.path, line: first.startLine })}
          className="hover:underline"
        >
          {query}
        </Link>
        <ul className="flex flex-wrap gap-x-4 text-[12px]">
          {relevant.map(({ path, startLine, endLine, state }) => (
            <li key={`${path}:${startLine}`}>
              <PlaceLink path={path} startLine={startLine} endLine={endLine} />
              {state !== 'there' && <span className="pl-2 text-warning">{t(`savedSearches.${state}`)}</span>}
              {state === 'changed' && (
                <Button
                  look="link"
                  className="pl-2"
                  onClick={() => add.mutate({ agent, question: { query, relevant: [{ path, startLine, endLine }] } })}
                >
                  {t('savedSearches.takeNew')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </div>
      <p className="shrink-0 text-right text-[12px] text-muted">
        {outcome?.rank != null
          ? t('savedSearches.found', { rank: outcome.rank, score: formatScore(outcome.score) })
          : outcome?.reason && t(`savedSearches.reason.${outcome.reason}`, { score: formatScore(outcome.score) })}
      </p>
      <IconButton
        icon={Trash2}
        label={t('savedSearches.remove', { query })}
        onClick={() => remove.mutate({ agent, id })}
      />
    </li>
  )
}

function Mark({ check: { outcome } }: { check: Check }) {
  const Icon = outcome === null ? CircleDashed : outcome.rank === null ? CircleX : CircleCheck
  const color = outcome === null ? 'text-faint' : outcome.rank === null ? 'text-bad' : 'text-good'
  const label =
    outcome === null ? 'savedSearches.notRun' : outcome.rank === null ? 'savedSearches.fails' : 'savedSearches.passes'
  return <Icon size={16} role="img" aria-label={t(label)} className={`mt-0.5 shrink-0 ${color}`} />
}
