import { t } from 'i18next'
import { Link } from 'wouter'
import type { SearchResult } from '#shared/contract/index.ts'
import { parsePlace, paths } from '#lib/router/paths.ts'

export function SupersededMark({ superseded }: { superseded: SearchResult['superseded'] }) {
  if (!superseded) return null
  const { until, by } = superseded
  const place = by === undefined ? undefined : parsePlace(by)
  return (
    <p className="text-[12px] text-warning" data-testid="superseded">
      {t('result.superseded', { until })}
      {place && (
        <>
          {' · '}
          <Link href={paths.source(place.path, place.line)} className="hover:underline">
            {t('result.now', { by })}
          </Link>
        </>
      )}
    </p>
  )
}
