import { t } from 'i18next'
import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Agent, Recall } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { EmptyState, QueryView, ErrorBoundary } from '#lib/ui/states.tsx'
import { formatMoment, formatScore } from '#lib/i18n/format.ts'
import { TextLink, MoreButton, SearchField, Choice } from '#lib/ui/controls.tsx'
import { nameRanker } from '#lib/util/name-match.ts'
import { clipLine } from '#lib/util/clip.ts'
import { paths } from '#lib/router/paths.ts'
import { AddCheck } from './add-check.tsx'
import { compareResults } from './candidates.ts'
import { PlaceLink } from '../markdown/citations.tsx'
import { InspectTabs } from '#lib/ui/view-frame.tsx'

const pageSize = 100
const outcomes = ['all', 'used', 'unused', 'below', 'nothing'] as const
type Outcome = (typeof outcomes)[number]

export function RecallsView({ agent, message }: { agent: Agent; message: string | undefined }) {
  const [outcome, setOutcome] = useState<Outcome>('all')
  const [filter, setFilter] = useState('')
  const [limit, setLimit] = useState(pageSize)
  const recalls = useQuery(api.search.recalls.queryOptions({ input: { agent: agent.id } }))
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
                  <ErrorBoundary key={`${recall.session}/${recall.id}`} piece="row" resetKey={recall}>
                    <RecallRow agent={agent.id} recall={recall} />
                  </ErrorBoundary>
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

function RecallRow({ agent, recall }: { agent: string; recall: Recall }) {
  const [isOpen, setIsOpen] = useState(false)
  const outcome = outcomeOf(recall)
  const used = recall.results.filter(({ use }) => use !== null).length
  return (
    <li
      className="border-b border-soft [contain-intrinsic-size:auto_52px] [content-visibility:auto]"
      data-testid="recall"
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full items-baseline gap-2 px-3 py-2 text-left hover:bg-soft"
      >
        <ChevronRight
          size={12}
          aria-hidden
          className={`shrink-0 self-center text-muted ${isOpen ? 'rotate-90' : ''}`}
        />
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
      {isOpen && <ThenAndNow agent={agent} recall={recall} />}
    </li>
  )
}

function ThenAndNow({ agent, recall }: { agent: string; recall: Recall }) {
  const { query, session, message, question, results } = recall
  const input = { agent, query, options: { excludeSession: session } }
  const current = useQuery(api.search.query.queryOptions({ input }))
  return (
    <div className="flex flex-col gap-2 pr-5 pb-4 pl-8">
      <p className="line-clamp-2 text-[12px] text-muted">{t('recalls.asked', { question: clipLine(question, 600) })}</p>
      <QueryView query={current} lines={3}>
        {({ results: found }) => (
          <table className="w-full table-fixed text-left text-[12px]">
            <colgroup>
              <col />
              <col className="w-20" />
              <col className="w-20" />
              <col className="w-24" />
              <col className="w-36" />
            </colgroup>
            <thead className="text-muted">
              <tr>
                <th className="py-1 font-medium">{t('tool.result')}</th>
                <th className="text-right font-medium">{t('recalls.then')}</th>
                <th className="text-right font-medium">{t('recalls.now')}</th>
                <th className="pl-4 font-medium">{t('recalls.use')}</th>
                <th className="sr-only">{t('checks.add')}</th>
              </tr>
            </thead>
            <tbody>
              {compareResults(results, found).map(({ path, startLine, endLine, scoreThen, scoreNow, use }) => (
                <tr key={`${path}:${startLine}`} className="border-t border-soft" data-testid="recalled">
                  <td className="truncate py-1">
                    <PlaceLink agent={agent} path={path} startLine={startLine} endLine={endLine} />
                  </td>
                  <td className="tabular text-right">{scoreThen === undefined ? '–' : formatScore(scoreThen)}</td>
                  <td className="tabular text-right">{scoreNow === undefined ? '–' : formatScore(scoreNow)}</td>
                  <td className="pl-4 text-muted">{use ? t(`recalls.${use}`) : ''}</td>
                  <td className="py-0.5 text-right">
                    <AddCheck agent={agent} query={query} lines={{ path, startLine, endLine }} />
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
