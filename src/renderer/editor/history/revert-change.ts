import i18next from 'i18next'
import { toast } from 'sonner'
import type { LeftFile, PastBatch } from '#shared/contract/index.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { clipLine } from '#lib/util/clip.ts'

const maxShown = 60

/** Undoes a batch without a toast. @returns the number of changed notes, and the files that could not be reverted */
export async function undoBatch(agent: string, undo: string): Promise<{ notes: number; left: LeftFile[] }> {
  try {
    return await client.history.undoBatch({ agent, undo })
  } finally {
    await refreshBatches()
  }
}

/** Refetches the data that an undone batch changes. */
export function refreshBatches(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: api.history.batches.key() })
}

/** Formats the names of a batch: tags with `#`, long texts shortened. */
export function formatBatchNames({ kind, from, to }: Pick<PastBatch, 'kind' | 'from' | 'to'>): {
  from: string
  to: string
} {
  if (kind === 'move') return { from, to }
  const mark = kind === 'tag' ? '#' : ''
  return { from: mark + clipLine(from, maxShown), to: mark + clipLine(to, maxShown) }
}

/** Undoes a batch and shows a toast with the result. */
export async function undoBatchWithToast(
  agent: string,
  undo: string,
  { kind, from }: Pick<PastBatch, 'kind' | 'from'>,
): Promise<void> {
  const { notes, left } = await undoBatch(agent, undo)
  if (kind === 'move') toast(i18next.t('changes.movedBack', { path: from }))
  else if (kind === 'tag') toast(i18next.t('changes.renamedBack', { tag: from }))
  else toast(i18next.t('find.takenBack', { count: notes }))
  if (left.length > 0)
    toast.warning(i18next.t('changes.replacedLeft', { count: left.length }), {
      description: left.map(({ path }) => path).join(', '),
    })
}
