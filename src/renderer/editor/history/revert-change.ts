import { t } from 'i18next'
import { toast } from 'sonner'
import type { LeftFile, PastBatch } from '#shared/contract/index.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { clipLine } from '#lib/util/clip.ts'

const maxNameLength = 60

/** Undoes a batch without a toast. @returns the number of changed notes, and the files that could not be reverted */
export async function undoBatch(agent: string, batchId: string): Promise<{ notes: number; left: LeftFile[] }> {
  try {
    return await client.history.undoBatch({ agent, undo: batchId })
  } finally {
    await refreshBatches()
  }
}

export function refreshBatches(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: api.history.batches.key() })
}

/** Formats the old and new name of a batch: adds `#` to tags and shortens long texts. */
export function formatBatchNames({ kind, from, to }: Pick<PastBatch, 'kind' | 'from' | 'to'>) {
  if (kind === 'move') return { from, to }
  const prefix = kind === 'tag' ? '#' : ''
  return { from: prefix + clipLine(from, maxNameLength), to: prefix + clipLine(to, maxNameLength) }
}

export async function undoBatchWithToast(
  agent: string,
  batchId: string,
  { kind, from }: Pick<PastBatch, 'kind' | 'from'>,
): Promise<void> {
  const { notes, left: skipped } = await undoBatch(agent, batchId)
  if (kind === 'move') toast(t('changes.movedBack', { path: from }))
  else if (kind === 'tag') toast(t('changes.renamedBack', { tag: from }))
  else toast(t('find.takenBack', { count: notes }))
  if (skipped.length > 0)
    toast.warning(t('changes.replacedLeft', { count: skipped.length }), {
      description: skipped.map(({ path }) => path).join(', '),
    })
}
