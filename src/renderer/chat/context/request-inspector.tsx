import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { t } from 'i18next'
import type { WireRequest } from '#shared/contract/index.ts'
import { parseJson } from '#shared/util/json.ts'
import { api } from '#lib/api/client.ts'
import { QueryView, EmptyState } from '#lib/ui/states.tsx'
import { formatMoment, formatNumber } from '#lib/i18n/format.ts'
import { IconButton } from '#lib/ui/button.tsx'
import { Choice, Checkbox } from '#lib/ui/choice.tsx'
import { LongText } from '#lib/ui/long-text.tsx'
import { Sheet } from '#lib/ui/dialog.tsx'

interface RequestInspectorProps {
  readonly agent: string
  readonly session: string
  /** 1-based number of the request; undefined for the last one. */
  readonly initial: number | undefined
  readonly onClose: () => void
}

export function RequestInspector({ agent, session, initial, onClose }: RequestInspectorProps) {
  const [number, setNumber] = useState(initial)
  const [view, setView] = useState<'wire' | 'layers'>('wire')
  const query = useQuery(api.context.request.queryOptions({ input: { agent, session, number } }))
  const request = query.data?.request
  const current = request?.number ?? number ?? 1
  const count = query.data?.count ?? current
  const title = t('context.exact')
  return (
    <Sheet
      title={title}
      onClose={onClose}
      tools={
        <>
          <Choice
            label={title}
            value={view}
            options={[
              { value: 'wire', name: t('context.wire') },
              { value: 'layers', name: t('context.layersView') },
            ]}
            onChoose={setView}
          />
          <span className="flex items-center">
            <IconButton
              icon={ChevronLeft}
              label={t('context.earlier')}
              disabled={current <= 1}
              onClick={() => setNumber(current - 1)}
            />
            <span className="tabular text-[12px] text-muted" data-testid="request-number">
              {t('context.requestOf', { number: formatNumber(current), count: formatNumber(count) })}
              {request && ` · ${formatMoment(request.sentAt)}`}
            </span>
            <IconButton
              icon={ChevronRight}
              label={t('context.later')}
              disabled={current >= count}
              onClick={() => setNumber(current + 1)}
            />
          </span>
        </>
      }
    >
      <QueryView query={query} lines={12}>
        {() =>
          !request ? (
            <EmptyState title={t('context.noRequest')} />
          ) : view === 'wire' ? (
            <RawRequest model={request.model} rawRequest={request.wire} />
          ) : (
            <LongText text={request.json} label={title} />
          )
        }
      </QueryView>
    </Sheet>
  )
}

interface RawRequestProps {
  /** Model of the request, named as in the configuration. */
  readonly model: string
  readonly rawRequest: WireRequest | null
}

export function RawRequest({ model, rawRequest }: RawRequestProps) {
  const [isIndented, setIsIndented] = useState(true)
  const text = useMemo(() => rawRequest && formatRequest(rawRequest, isIndented), [rawRequest, isIndented])
  if (!rawRequest || text === null)
    return model === 'offline' ? (
      <EmptyState title={t('context.wireOffline')} hint={t('context.wireOfflineHint')} />
    ) : (
      <EmptyState title={t('context.wireMissing')} hint={t('context.wireMissingHint')} />
    )
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="wire">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-1.5 text-[12px] text-muted">
        <p className="min-w-0 flex-1 basis-60">
          {t('context.wireNote')}
          {rawRequest.leftOut > 0 && ` ${t('context.wireLeftOut', { count: rawRequest.leftOut })}`}
        </p>
        <Checkbox checked={isIndented} onChange={setIsIndented}>
          {t('context.indented')}
        </Checkbox>
      </div>
      <LongText text={text} label={t('context.wire')} />
    </div>
  )
}

function formatRequest({ method, url, headers, body }: WireRequest, isIndented: boolean): string {
  const json = isIndented ? parseJson(body) : undefined
  const headLines = [`${method} ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  return `${headLines.join('\n')}\n\n${json === undefined ? body : JSON.stringify(json, null, 2)}`
}
