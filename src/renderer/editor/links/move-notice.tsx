import { useMutation, useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { api } from '#lib/api/client.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'

/** Smaller moves finish before the notice could be read. */
const minNotes = 64

export function MoveNotice({ agent }: { agent: string }) {
  const moving = useQuery(api.links.moving.queryOptions({ input: { agent } })).data
  const cancel = useMutation(api.links.cancelMove.mutationOptions())
  if (!moving || moving.total < minNotes) return null
  const { from, to, done, total, isCancelled } = moving
  const title = t(isCancelled ? 'links.takingBack' : 'links.moving')
  return (
    <section
      aria-label={title}
      data-testid="move-running"
      className="fixed right-4 bottom-10 z-40 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 rounded-md border border-line bg-raised px-4 py-3 shadow-lg"
    >
      <p className="font-medium">{title}</p>
      {from !== '' && (
        <p className="font-mono text-[12px] break-all text-muted">
          {from} → {to}
        </p>
      )}
      <div className="tabular flex items-center gap-3">
        <progress max={total} value={done} aria-label={title} className="h-1.5 min-w-0 flex-1 accent-accent" />
        {t('import.progress', { done: formatNumber(done), total: formatNumber(total) })}
        <Button disabled={isCancelled || done === total} onClick={() => cancel.mutate({ agent })}>
          {t('common.cancel')}
        </Button>
      </div>
    </section>
  )
}
