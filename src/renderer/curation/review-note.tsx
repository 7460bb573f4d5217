import { useTranslation } from 'react-i18next'
import type { ReviewOutcome } from '#shared/contract/index.ts'
import { explainCode } from '#lib/feedback/explain.ts'
import { formatMoment, formatMoney } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import type { InboxState } from './use-inbox.ts'

export function ReviewNote({ inbox, onReview }: { inbox: InboxState; onReview: () => void }) {
  const { t } = useTranslation()
  const data = inbox.query.data
  if (!data) return null
  const { review, nextAt, isReviewing, open } = data
  if (!review && nextAt === null) return null
  const ofReview = review ? open.filter((one) => one.review === review.id).map(({ id }) => id) : []
  const isCutOff = review !== null && review.left > 0 && !isReviewing && review.state !== 'budget'
  return (
    <div
      className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-b border-soft px-5 py-1.5 text-[12px] text-muted max-sm:px-3"
      data-testid="review-note"
    >
      {review && (
        <span>{isReviewing ? t('upkeep.review.running', { model: review.model }) : <Told review={review} />}</span>
      )}
      {nextAt !== null && <span>{t('upkeep.review.next', { when: formatMoment(nextAt) })}</span>}
      {ofReview.length > 0 && inbox.part === 'open' && (
        <Button look="link" onClick={() => inbox.chooseThese(ofReview)}>
          {t('upkeep.review.asOne', { count: ofReview.length })}
        </Button>
      )}
      {isCutOff && (
        <Button look="link" onClick={onReview}>
          {t('upkeep.review.goOn')}
        </Button>
      )}
    </div>
  )
}

function Told({ review }: { review: ReviewOutcome }) {
  const { t } = useTranslation()
  const { state, at, model, proposals, usd, left, unread, code = 'internal', data = {} } = review
  const parts = [
    t('upkeep.review.last', { when: formatMoment(at), model }),
    t('upkeep.review.proposals', { count: proposals }),
    ...(usd === null || usd === 0 ? [] : [formatMoney(usd)]),
    ...(state === 'budget' ? [t('upkeep.review.budgetReached', { count: left })] : []),
    ...(state === 'stopped' ? [t('upkeep.review.stopped', { count: left })] : []),
    ...(state === 'running' ? [t('upkeep.review.brokenOff')] : []),
    ...(state === 'failed' ? [explainCode(code, data)] : []),
    ...(unread > 0 ? [t('upkeep.review.unread', { count: unread })] : []),
  ]
  return <>{parts.join(' · ')}</>
}
