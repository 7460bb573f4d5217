import { skipToken, useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { RecordedSearch } from '#shared/contract/index.ts'
import type { Usage } from '#shared/chat/messages.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api } from '#lib/api/client.ts'
import { TextLink } from '#lib/ui/elements.tsx'
import { formatMoney, formatNumber, formatPercent } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { Result } from '../../search/results.tsx'
import { changeOf, searchesOf, usageOf, type Turn } from '../turns.ts'
import { SidePanel } from '#lib/ui/frames.tsx'
import { Counts } from '#lib/diff-view/diff-card.tsx'

interface DetailsProps {
  readonly session: string | undefined
  readonly turn: Turn | undefined
  readonly onClose: () => void
}

export function Details({ session, turn, onClose }: DetailsProps) {
  const recalls = turn ? searchesOf(turn) : []
  const changes = turn?.answers.flatMap(({ tools }) => tools.flatMap((step) => changeOf(step) ?? [])) ?? []
  const { provider, model: name } = turn?.answers.at(-1)?.message ?? {}
  const model = provider === 'offline' ? t('status.noModel') : provider === undefined ? provider : `${provider}/${name}`
  const { id: agent } = useAgent()
  const ofChat = useQuery(
    api.chats.usage.queryOptions({ input: session === undefined ? skipToken : { agent, session } }),
  ).data
  return (
    <SidePanel title={t('chat.details')} closing={t('details.close')} onClose={onClose}>
      {!turn && <p className="p-4 text-muted">{t('details.empty')}</p>}
      {turn && recalls.length === 0 && (
        <p className="border-b border-line p-4 text-muted">{t('details.nothingRecalled')}</p>
      )}
      {recalls.map((recall, index) => (
        <RecallSection key={index} recall={recall} />
      ))}
      {changes.length > 0 && (
        <section className="border-b border-line p-4">
          <h3 className="pb-2 text-[12px] text-muted">{t('details.wrote')}</h3>
          {changes.map((change, index) => (
            <p key={index} className="flex gap-2 font-mono text-[12px]">
              <Link href={paths.file(change.path, change.startLine)} className="hover:underline">
                {change.path}
              </Link>
              <Counts change={change} />
            </p>
          ))}
        </section>
      )}
      {turn && <UsageTable title={t('details.turn')} usage={usageOf(turn)} model={model} />}
      {ofChat && <UsageTable title={t('details.session')} usage={ofChat} />}
    </SidePanel>
  )
}

function RecallSection({ recall }: { recall: RecordedSearch }) {
  return (
    <section className="flex flex-col gap-3 border-b border-line p-4">
      <h3 className="flex gap-2 text-[12px] text-muted">
        <span className="flex-1 truncate" title={recall.query}>
          “{recall.query}”
        </span>
        <span className="tabular">
          {t('details.recalledCount', { returned: recall.results.length, candidates: recall.candidates })}
        </span>
      </h3>
      {recall.results.map((result) => (
        <Result key={`${result.path}:${result.startLine}`} result={result} query={recall.query} />
      ))}
      <TextLink href={paths.found(recall.query)}>{t('details.openInSearch')} →</TextLink>
    </section>
  )
}

function UsageTable({ title, usage, model }: { title: string; usage: Usage; model?: string | undefined }) {
  const input = usage.input + usage.cacheRead + usage.cacheWrite
  const inTokens = (tokens: number) => t('details.tokens', { tokens: formatNumber(tokens) })
  const cached = `${formatNumber(usage.cacheRead)} · ${formatPercent(usage.cacheRead / input)}`
  const rows = [
    [t('details.input'), inTokens(input)],
    [t('details.cached'), usage.cacheRead > 0 ? cached : undefined],
    [t('details.output'), inTokens(usage.output)],
    [t('details.cost'), usage.cost && formatMoney(usage.cost.total)],
    [t('status.model'), model],
  ] as const
  return (
    <section className="border-b border-line p-4">
      <h3 className="pb-2 text-[12px] text-muted">{title}</h3>
      <dl className="tabular grid grid-cols-[1fr_auto] gap-y-1">
        {rows.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name} className="contents">
              <dt>{name}</dt>
              <dd className="max-w-44 truncate text-right" title={value}>
                {value}
              </dd>
            </div>
          ),
        )}
      </dl>
    </section>
  )
}
