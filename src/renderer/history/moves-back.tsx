/** Moves of files and folders that can be taken back whole, with the links that were written anew: above the changes. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { api } from '../api/index.ts'
import { formatMoment } from '../i18n/format.ts'
import { Button } from '../ui/button.tsx'

export function MovesBack({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  // What was moved before this view opened is listed, too.
  const moves = useQuery(api.links.moves.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  const undo = useMutation(
    api.links.undoMove.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: api.links.moves.key() }),
    }),
  )
  if (!moves.data || moves.data.length === 0) return null
  return (
    <section aria-label={t('changes.moves')} className="border-b border-soft px-5 py-2 max-sm:px-3">
      <h2 className="text-[12px] text-muted">{t('changes.moves')}</h2>
      <ul className="max-h-32 overflow-y-auto">
        {moves.data.map(({ undo: id, from, to, at, notes }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3">
            <span className="min-w-0 font-mono text-[12px] break-all">
              {from} → {to}
            </span>
            {notes > 0 && <span className="text-[12px] text-muted">{t('links.inNotes', { count: notes })}</span>}
            <span className="flex-1" />
            <span className="shrink-0 text-[12px] text-muted">{formatMoment(at)}</span>
            <Button
              look="link"
              disabled={undo.isPending}
              onClick={() =>
                undo.mutate({ agent, undo: id }, { onSuccess: () => toast(t('changes.movedBack', { path: from })) })
              }
            >
              {t('changes.undoMove')}
              <span className="sr-only">: {from}</span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
