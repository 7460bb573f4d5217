/** Several proposals as the one change that accepting them would be. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { Button } from '#lib/ui/button.tsx'
import { Skeleton } from '#lib/ui/states.tsx'
import { ProposedDiff } from './proposed-diff.tsx'
import type { InboxState } from './use-inbox.ts'

export function ChosenView({ agent, inbox }: { agent: string; inbox: InboxState }) {
  const { t } = useTranslation()
  const { meant, isBusy } = inbox
  const ids = meant.map(({ id }) => id)
  const query = useQuery(api.upkeep.preview.queryOptions({ input: { agent, ids } }))
  const count = ids.length
  return (
    <article className="flex min-w-0 flex-col gap-5 px-7 py-6 max-sm:px-4" data-testid="chosen-view">
      <header className="flex flex-col gap-1">
        <h2 className="text-[15px] font-semibold">{t('upkeep.asOne', { count })}</h2>
        <p className="max-w-[62ch] text-muted">{t('upkeep.asOneHint')}</p>
        {query.data && query.data.left > 0 && <p role="note">{t('upkeep.left', { count: query.data.left })}</p>}
        {query.data && query.data.gone > 0 && <p role="note">{t('upkeep.gone', { count: query.data.gone })}</p>}
      </header>
      {query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Skeleton lines={8} />
      ) : (
        query.data.files.map(({ path, patch, isNew }) => (
          <ProposedDiff key={path} path={path} patch={patch} isNew={isNew} isSmall />
        ))
      )}
      <div className="sticky bottom-0 flex flex-wrap items-center gap-2 border-t border-soft bg-paper py-3">
        <Button look="primary" disabled={isBusy} onClick={() => void inbox.accept()}>
          {t('upkeep.acceptMany', { count })}
        </Button>
        <Button disabled={isBusy} onClick={() => void inbox.refuse()}>
          {t('upkeep.refuseMany', { count })}
        </Button>
        <Button look="quiet" onClick={inbox.chooseNone}>
          {t('upkeep.chooseNone')}
        </Button>
      </div>
    </article>
  )
}
