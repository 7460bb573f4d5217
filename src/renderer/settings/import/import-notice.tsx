import { useMutation, useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { useEffect } from 'react'
import { toast } from 'sonner'
import type { ImportStatus } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'
import { explainCode } from '#lib/feedback/explain.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { isRenamedInstruction, refetchImports, showImportUndone } from './past-imports.tsx'

const pollMs = 700

export function ImportNotice({ agent }: { agent: string }) {
  const status = useQuery(
    api.import.standing.queryOptions({
      input: { agent },
      refetchInterval: ({ state }) => (state.data?.running ? pollMs : false),
    }),
  )
  const cancel = useMutation(api.import.cancel.mutationOptions({ onSuccess: () => status.refetch() }))
  const ended = status.data?.ended
  useEffect(() => {
    for (const result of ended ?? []) {
      if (reported.has(result.id)) continue
      reported.add(result.id)
      void runWithErrorToast(client.import.seen({ agent, id: result.id }))
      showEnd(agent, result)
    }
  }, [agent, ended])
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

function showEnd(agent: string, { change, made, isCancelled, failure }: ImportStatus['ended'][number]) {
  void refetchImports()
  if (failure) toast.error(explainCode(failure.code, failure.data))
  else if (made.length === 0) toast(t('import.nothingDone'))
  if (made.length === 0) return
  const result = t(isCancelled ? 'import.cancelled' : 'import.done', { count: made.length })
  const text = made.some(isRenamedInstruction) ? `${result} ${t('import.instructions')}` : result
  if (change === null) toast.success(text)
  else showSuccess(text, async () => showImportUndone(await client.history.revert({ agent, change })))
}
