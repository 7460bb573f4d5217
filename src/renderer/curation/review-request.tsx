/** A request of a review, as it went over the wire. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '#lib/api/client.ts'
import { OnTheWire } from '../chat/context/raw-request.tsx'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { Sheet } from '#lib/ui/sheet.tsx'
import { EmptyState, Skeleton } from '#lib/ui/states.tsx'

interface ReviewRequestProps {
  readonly agent: string
  readonly number: number
  readonly onClose: () => void
}

export function ReviewRequest({ agent, number, onClose }: ReviewRequestProps) {
  const { t } = useTranslation()
  const sent = useQuery(api.upkeep.request.queryOptions({ input: { agent, number } }))
  const request = sent.data?.request
  return (
    <Sheet title={t('context.exact')} onClose={onClose}>
      {sent.error ? (
        <ErrorState error={sent.error} onRetry={() => void sent.refetch()} />
      ) : sent.isPending ? (
        <Skeleton lines={12} />
      ) : request ? (
        <OnTheWire model={request.model} wire={request.wire} />
      ) : (
        <EmptyState title={t('context.noRequest')} />
      )}
    </Sheet>
  )
}
