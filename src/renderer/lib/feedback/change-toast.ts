import { client } from '../api/client.ts'
import { showSuccess } from './toast.ts'
import { t } from 'i18next'
import { toast } from 'sonner'
import type { PastBatch } from '#shared/contract/index.ts'
import { clipLine } from '../util/clip.ts'

/** @param change the change set that the toast reverts; null if the history could not store it */
export function showChange(
  text: string,
  agent: string,
  change: number | null,
  options?: Parameters<typeof showSuccess>[2],
): void {
  showSuccess(text, change === null ? undefined : () => client.history.revert({ agent, change }), options)
}

const maxNameLength = 60

type BatchNames = Pick<PastBatch, 'kind' | 'from' | 'to'>

/** Formats the old and new name of a batch: adds `#` to tags and shortens long texts. */
export function formatBatchNames({ kind, from, to }: BatchNames) {
  if (kind === 'move') return { from, to }
  const prefix = kind === 'tag' ? '#' : ''
  return { from: prefix + clipLine(from, maxNameLength), to: prefix + clipLine(to, maxNameLength) }
}

export async function undoBatchWithToast(agent: string, change: number, { kind, from }: BatchNames): Promise<void> {
  const { change: undo, notes, left: skipped } = await client.history.revert({ agent, change })
  const texts = {
    move: t('changes.movedBack', { path: from }),
    tag: t('changes.renamedBack', { tag: from }),
    replacement: t('find.takenBack', { count: notes }),
  }
  if (undo === null) toast(texts[kind])
  else showSuccess(texts[kind], () => client.history.revert({ agent, change: undo }))
  if (skipped.length > 0)
    toast.warning(t('changes.replacedLeft', { count: skipped.length }), {
      description: skipped.map(({ path, line }) => (line === undefined ? path : `${path}:${line}`)).join(', '),
    })
}
