/** Saved questions and the lines that they should find: which of them do, and how that went over time (M44). */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Agent } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { Button } from '#lib/ui/button.tsx'
import { EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { PassChart } from './pass-chart.tsx'
import { SearchTabs } from '#lib/ui/search-tabs.tsx'
import { CheckRow } from './check-row.tsx'
import { Transfer } from './check-transfer.tsx'
import { NewCheck } from './new-check.tsx'

export function ChecksView({ agent: { id: agent } }: { agent: Agent }) {
  const { t } = useTranslation()
  const list = useQuery(api.checks.list.queryOptions({ input: { agent } }))
  const run = useMutation(api.checks.run.mutationOptions())
  const stop = useMutation(api.checks.stop.mutationOptions())
  const { checks = [], runs = [], progress = null } = list.data ?? {}
  const judged = checks.filter(({ outcome }) => outcome !== null)
  const passed = judged.filter(({ outcome }) => outcome?.rank !== null).length
  return (
    <section aria-label={t('checks.title')} className="flex min-w-0 flex-1 flex-col">
      <SearchTabs>
        <Transfer agent={agent} isEmpty={checks.length === 0} />
        {progress ? (
          <Button onClick={() => stop.mutate({ agent })}>
            <progress aria-label={t('checks.running')} value={progress.done} max={progress.total} className="w-16" />
            {t('common.cancel')}
          </Button>
        ) : (
          <Button look="primary" disabled={checks.length === 0} onClick={() => run.mutate({ agent })}>
            <Play size={13} aria-hidden />
            {t('checks.run')}
          </Button>
        )}
      </SearchTabs>
      <div className="min-h-0 flex-1 overflow-y-auto pb-8">
        {list.error ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} />
        ) : list.isPending ? (
          <Skeleton lines={9} />
        ) : (
          <>
            <NewCheck agent={agent} />
            {checks.length === 0 ? (
              <EmptyState title={t('checks.empty')} hint={t('checks.emptyHint')} />
            ) : (
              <>
                <div className="flex flex-wrap items-start justify-between gap-4 px-5 pb-3">
                  <p role="status" className="text-[15px] font-semibold" data-testid="pass-rate">
                    {t('checks.rate', { passed, total: judged.length })}
                  </p>
                  <PassChart runs={runs} />
                </div>
                <ul>
                  {checks.map((check) => (
                    <CheckRow key={check.id} agent={agent} check={check} />
                  ))}
                </ul>
              </>
            )}
          </>
        )}
      </div>
    </section>
  )
}
