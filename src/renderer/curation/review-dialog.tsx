import { t } from 'i18next'
import { useQuery } from '@tanstack/react-query'
import type { ReviewEstimate } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { TextLink } from '#lib/ui/button.tsx'
import { ErrorState, Skeleton } from '#lib/ui/states.tsx'
import { formatMoney, formatNumber, formatShort } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { Dialog } from '#lib/ui/dialog.tsx'

export function ReviewDialog({ agent, onStart, onClose }: { agent: string; onStart: () => void; onClose: () => void }) {
  const query = useQuery({ ...api.upkeep.estimate.queryOptions({ input: { agent } }), gcTime: 0, retry: false })
  const estimate = query.data
  const canStart = estimate !== undefined && !estimate.isOffline && estimate.requests > 0 && estimate.fitting > 0
  return (
    <Dialog
      title={t('upkeep.review.title')}
      action={t('onboarding.start')}
      canSubmit={canStart}
      aside={
        <TextLink href={paths.settings('upkeep')} className="mr-auto text-[12px]" onClick={onClose}>
          {t('upkeep.review.settings')}
        </TextLink>
      }
      className="top-[14vh] max-h-[76vh] w-[min(520px,94vw)] overflow-y-auto"
      onSubmit={onStart}
      onClose={onClose}
    >
      <p className="text-muted">{t('upkeep.review.lead')}</p>
      {query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !estimate ? (
        <div role="status" aria-label={t('upkeep.review.estimating')}>
          <Skeleton lines={5} />
        </div>
      ) : (
        <Estimate estimate={estimate} />
      )}
    </Dialog>
  )
}

function Estimate({ estimate }: { estimate: ReviewEstimate }) {
  const { model, isOffline, lines, requests, input, output, usd, budget, spent, fitting } = estimate
  if (isOffline) return <p role="note">{t('upkeep.review.offline')}</p>
  const spentTokens = t('upkeep.review.spentTokens', { count: spent.tokens })
  const spentText =
    usd !== null && budget.usd !== null
      ? t('upkeep.review.spentOf', { spent: formatMoney(spent.usd), budget: formatMoney(budget.usd) })
      : budget.tokens === null
        ? spentTokens
        : t('upkeep.review.spentOf', { spent: spentTokens, budget: formatShort(budget.tokens) })
  const rows = [
    [t('status.model'), model],
    [t('upkeep.review.lines'), formatNumber(lines)],
    [t('settings.requests'), formatNumber(requests)],
    [t('context.tokens'), t('upkeep.review.tokensOf', { input: formatShort(input), output: formatShort(output) })],
    [
      t('details.cost'),
      usd === null ? t('upkeep.review.unknownPrice') : t('upkeep.review.about', { cost: formatMoney(usd) }),
    ],
    [t('upkeep.review.month'), spentText],
  ] as const
  return (
    <>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1" data-testid="estimate">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words tabular">{value}</dd>
          </div>
        ))}
      </dl>
      {requests === 0 ? (
        <p role="note">{t('upkeep.review.nothing')}</p>
      ) : (
        fitting < requests && (
          <p role="note" className="text-bad">
            {fitting === 0 ? t('upkeep.review.noBudget') : t('upkeep.review.partly', { count: fitting })}
          </p>
        )
      )}
    </>
  )
}
