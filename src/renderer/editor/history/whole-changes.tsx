import { useMutation, useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { PastBatch } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { formatMoment } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { shownNames, takeBackBatch } from './revert-change.ts'

export function WholeChanges({ agent }: { agent: string }) {
  const { t } = useTranslation()
  // What was changed before this view opened is listed, too.
  const batches = useQuery(api.history.batches.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  const takeBack = useMutation({ mutationFn: (batch: PastBatch) => takeBackBatch(agent, batch.undo, batch) })
  const changes = batches.data ?? []
  if (changes.length === 0) return null
  return (
    <section aria-label={t('changes.whole')} className="border-b border-soft px-5 py-2 max-sm:px-3">
      <h2 className="text-[12px] text-muted">{t('changes.whole')}</h2>
      <ul className="max-h-32 overflow-y-auto">
        {changes.map((batch) => {
          const [extent, undo] = [extentOf(batch, t), t(`changes.${undoLabels[batch.kind]}`)]
          const { from, to } = shownNames(batch)
          return (
            <li key={batch.undo} className="flex flex-wrap items-baseline gap-x-3">
              <span className="min-w-0 font-mono text-[12px] break-all">{`${from} → ${to}`}</span>
              {extent !== undefined && <span className="text-[12px] text-muted">{extent}</span>}
              <span className="ml-auto flex shrink-0 items-baseline gap-x-3">
                <span className="text-[12px] text-muted">{formatMoment(batch.at)}</span>
                <Button
                  look="link"
                  aria-label={`${undo}: ${from}`}
                  disabled={takeBack.isPending}
                  onClick={() => takeBack.mutate(batch)}
                >
                  {undo}
                </Button>
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

const undoLabels = { move: 'undoMove', tag: 'undoRename', replacement: 'undoReplacement' } as const

/** How many notes it changed; undefined for a move that changed none. */
function extentOf({ kind, count = 0, notes }: PastBatch, t: TFunction): string | undefined {
  if (kind === 'replacement') return t('find.replaced', { count, files: t('find.inFiles', { count: notes }) })
  return notes > 0 ? t('links.inNotes', { count: notes }) : undefined
}
