import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatMoment, formatMoney, formatNumber } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import type { ContextStep } from '#shared/contract/index.ts'

/** Requests that the table begins with. */
const page = 50

interface StepTableProps {
  readonly steps: readonly ContextStep[]
  /** Index of the request that is looked at. */
  readonly at: number
  readonly onStep: (index: number) => void
}

export function StepTable({ steps, at, onStep }: StepTableProps) {
  const { t } = useTranslation()
  const [limit, setLimit] = useState(page)
  const newest = steps.map((step, index) => ({ step, index })).toReversed()
  return (
    <>
      <table className="mt-2 w-full text-left text-[12px]">
        <thead className="text-muted">
          <tr className="border-b border-line">
            <th className="py-1 font-medium">#</th>
            <th className="font-medium">{t('checks.when')}</th>
            <th className="font-medium">{t('context.question')}</th>
            <th className="text-right font-medium">{t('context.tokens')}</th>
            <th className="text-right font-medium">{t('context.cacheRead')}</th>
            <th className="text-right font-medium">{t('context.cacheWritten')}</th>
            <th className="text-right font-medium">{t('context.money')}</th>
          </tr>
        </thead>
        <tbody>
          {newest.slice(0, limit).map(({ step: { id, sentAt, question, estimatedTokens, usage }, index }) => (
            <tr
              key={id}
              data-testid="step"
              aria-current={index === at}
              className="border-b border-soft aria-[current=true]:bg-accent-wash"
            >
              <td className="py-0.5">
                <Button look="link" className="tabular" onClick={() => onStep(index)}>
                  {formatNumber(index + 1)}
                </Button>
              </td>
              <td className="whitespace-nowrap text-muted">{formatMoment(sentAt)}</td>
              <td className="w-full max-w-0 truncate px-4">{question}</td>
              <td className="tabular pl-4 text-right">{formatNumber(estimatedTokens)}</td>
              <td className="tabular pl-4 text-right">{usage ? formatNumber(usage.cacheRead) : '–'}</td>
              <td className="tabular pl-4 text-right">{usage ? formatNumber(usage.cacheWrite) : '–'}</td>
              <td className="tabular pl-4 text-right">{usage?.cost ? formatMoney(usage.cost.total) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {steps.length > limit && (
        <Button look="link" onClick={() => setLimit(limit + page)}>
          {t('history.more')}
        </Button>
      )}
    </>
  )
}
