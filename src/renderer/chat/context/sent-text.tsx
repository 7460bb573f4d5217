/** An item of a request, word for word. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { ContextItem } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { LongText } from '#lib/ui/long-text.tsx'
import { Sheet } from '#lib/ui/sheet.tsx'
import { Skeleton } from '#lib/ui/states.tsx'
import { useItemName } from './item-name.ts'

interface SentTextProps {
  readonly agent: string
  readonly session: string | undefined
  /** Of the request; undefined for the one that would be sent now. */
  readonly number: number | undefined
  readonly item: Pick<ContextItem, 'layer' | 'name'>
  readonly onClose: () => void
}

export function SentText({ agent, session, number, item: { layer, name }, onClose }: SentTextProps) {
  const { t } = useTranslation()
  const nameOf = useItemName()
  const input = {
    agent,
    layer,
    name,
    ...(session === undefined ? {} : { session }),
    ...(number === undefined ? {} : { number }),
  }
  const text = useQuery(api.context.text.queryOptions({ input }))
  const title = t('context.open', { name: nameOf({ layer, name }) })
  return (
    <Sheet title={title} onClose={onClose}>
      {text.error ? (
        <ErrorState error={text.error} onRetry={() => void text.refetch()} />
      ) : text.data ? (
        <LongText text={text.data.text} label={title} />
      ) : (
        <Skeleton />
      )}
    </Sheet>
  )
}
