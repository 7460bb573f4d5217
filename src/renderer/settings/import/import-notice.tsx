import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import type { ImportStatus } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { explainCode } from '#lib/feedback/explain.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { showImported } from './past-imports.tsx'

const pollMs = 700

export function ImportNotice({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const status = useQuery(
    api.import.standing.queryOptions({
      input: { agent },
      refetchInterval: ({ state }) => (state.data?.running ? pollMs : false),
    }),
  )
  const cancel = useMutation(api.import.cancel.mutationOptions({ onSuccess: () => status.refetch() }))
  const ended = status.data?.ended
  useEffect(() => {
    const report = async ({ id, made, isCancelled, failure }: ImportStatus['ended'][number]) => {
      if (reported.has(id)) return
      reported.add(id)
      await client.import.seen({ agent, id })
      if (failure) toast.error(explainCode(failure.code, failure.data))
      if (!failure || made.length > 0) showImported(t, agent, { id, made, isCancelled })
    }
    for (const result of ended ?? []) void runWithErrorToast(report(result))
  }, [agent, ended, t])
  const running = status.data?.running
  if (!running) return null
  return (
    <section
      aria-label={t('import.running')}
      data-testid="import-running"
      className="fixed right-4 bottom-10 z-40 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 rounded-md border border-line bg-raised px-4 py-3 shadow-lg"
    >
      <p className="font-medium">{t('import.running')}</p>
      <p className="font-mono text-[12px] break-all text-muted">{running.path}</p>
      <div className="tabular flex items-center gap-3">
        <progress
          max={Math.max(1, running.total)}
          value={running.done}
          aria-label={t('import.running')}
          className="h-1.5 min-w-0 flex-1 accent-accent"
        />
        {t('import.progress', { done: formatNumber(running.done), total: formatNumber(running.total) })}
        <Button disabled={cancel.isPending} onClick={() => cancel.mutate({ agent })}>
          {t('common.cancel')}
        </Button>
      </div>
    </section>
  )
}

/** Ids of imports already reported: a refetch may still contain an import that was marked as seen. */
const reported = new Set<string>()
