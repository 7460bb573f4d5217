import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from 'i18next'
import type { ContextItem, ContextReport, WhatIfWindow } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { formatNumber, formatShort } from '#lib/i18n/format.ts'
import { ContextBar } from './context-bar.tsx'
import { WarningList } from './warning-list.tsx'

interface WhatIfWindowProps {
  readonly agent: string
  readonly session: string | undefined
  readonly report: ContextReport
}

export function WhatIfWindowPanel({ agent, session, report }: WhatIfWindowProps) {
  const [change, setChange] = useState<WhatIfWindow>({})
  const models = useQuery(api.chat.models.queryOptions({ input: { agent } }))
  const preview = useQuery(
    api.context.whatIf.queryOptions({
      input: { agent, change, session },
      placeholderData: keepPreviousData,
    }),
  )
  const modelsByWindow = Map.groupBy(models.data?.models ?? [], ({ contextWindow }) => contextWindow)
  const excluded = change.without ?? []
  const files = report.items.filter(
    ({ layer, note }) => (layer === 'project' || layer === 'logs') && note !== 'missing',
  )
  const toggle = ({ name }: ContextItem) =>
    setChange({
      ...change,
      without: excluded.includes(name) ? excluded.filter((path) => path !== name) : [...excluded, name],
    })
  const data = preview.data
  return (
    <section
      aria-label={t('whatIf.title')}
      aria-busy={preview.isFetching}
      className="mt-6 flex flex-col gap-4 rounded-lg border border-line bg-side px-4 py-3"
    >
      <div className="flex flex-wrap items-start gap-x-8 gap-y-3">
        <label className="flex flex-col gap-1">
          <span className="text-[12px] text-muted">{t('context.window')}</span>
          <select
            value={change.contextWindow ?? ''}
            onChange={(event) => {
              const { contextWindow: _, ...others } = change
              setChange(event.target.value === '' ? others : { ...others, contextWindow: Number(event.target.value) })
            }}
            className="min-h-7 max-w-80 rounded-sm border border-line bg-raised px-2"
          >
            <option value="">
              {t('context.asItIs', { model: report.model, window: formatShort(report.contextWindow) })}
            </option>
            {[...modelsByWindow]
              .toSorted(([a], [b]) => a - b)
              .map(([size, sameSize]) => (
                <option key={size} value={size}>
                  {`${formatShort(size)} · ${sameSize
                    .slice(0, 3)
                    .map(({ id }) => id)
                    .join(', ')}`}
                </option>
              ))}
          </select>
        </label>
        {files.length > 0 && (
          <fieldset className="flex flex-col gap-1">
            <legend className="pb-1 text-[12px] text-muted">{t('context.without')}</legend>
            <div className="flex flex-wrap gap-x-4 gap-y-1">
              {files.map((item) => (
                <label key={item.name} className="flex items-center gap-1.5 font-mono text-[12px]">
                  <input type="checkbox" checked={excluded.includes(item.name)} onChange={() => toggle(item)} />
                  {item.name}
                </label>
              ))}
            </div>
          </fieldset>
        )}
      </div>
      {preview.error && <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />}
      {data && (
        <div>
          <ContextBar report={data.report} />
          <p className="tabular pt-3" data-testid="what-if-total">
            {t('context.wouldBe', {
              tokens: formatNumber(data.report.estimatedTokens),
              window: formatNumber(data.report.contextWindow),
            })}
          </p>
          <WarningList report={data.report} />
          <p className="pt-2 text-muted" data-testid="what-if-compact">
            {data.compaction
              ? t('context.compactWould', {
                  count: data.compaction.messages,
                  freed: formatNumber(Math.max(0, data.compaction.tokens - data.compaction.summaryTokens)),
                })
              : t('context.nothingToCompact')}
          </p>
        </div>
      )}
    </section>
  )
}
