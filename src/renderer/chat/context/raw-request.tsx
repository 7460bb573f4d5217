import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WireRequest } from '#shared/contract/index.ts'
import { parseJson } from '#shared/util/json.ts'
import { LongText } from '#lib/ui/long-text.tsx'
import { EmptyState } from '#lib/ui/states.tsx'

interface RawRequestProps {
  /** Model of the request, named as in the configuration. */
  readonly model: string
  readonly rawRequest: WireRequest | null
}

export function RawRequest({ model, rawRequest }: RawRequestProps) {
  const { t } = useTranslation()
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
        <label className="flex items-center gap-1.5">
          <input type="checkbox" checked={isIndented} onChange={(event) => setIsIndented(event.target.checked)} />
          {t('context.indented')}
        </label>
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
