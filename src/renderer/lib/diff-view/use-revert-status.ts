import { t } from 'i18next'
import { skipToken, useQuery, useMutation } from '@tanstack/react-query'
import { toast } from 'sonner'
import { api, queryClient } from '../api/client.ts'
import { showChange } from '../feedback/change-toast.ts'

type HunkStatus = 'there' | 'undone' | 'changed'

export type RevertStatus = ReturnType<typeof useRevertStatus>

/**
 * Returns the undo status of a file's change, with actions that undo and redo it.
 * @param change id of the change set; undefined if it is not stored @param path path after the change
 */
export function useRevertStatus(agent: string, change: number | undefined, path: string) {
  const input = change === undefined ? skipToken : { agent, change, path }
  const status = useQuery(api.history.standing.queryOptions({ input })).data
  const revert = useMutation(
    api.history.revert.mutationOptions({
      // The mutation stays pending until the new status is loaded, so that the buttons cannot be clicked twice.
      onSettled: () => queryClient.invalidateQueries({ queryKey: api.history.standing.key() }),
      onSuccess({ change: undoChange, trashed }, { isRedo }) {
        if (isRedo) toast.success(t('tool.redone'))
        else showChange(trashed === undefined ? t('tool.undone') : t('file.deleted', { path }), agent, undoChange)
      },
    }),
  )
  /** While the status is loading, a hunk counts as `there`; an undo reports a conflict. */
  const statusOf = (index: number): HunkStatus => status?.hunks[index] ?? 'there'
  const canUndo = !status || status.hunks.includes('there')
  /** @param index one hunk; all hunks of this status if undefined */
  const run = (hunkStatus: HunkStatus, index: number | undefined) => {
    if (change === undefined) return
    const indexes = status?.hunks.keys().filter((hunk) => statusOf(hunk) === hunkStatus && hunk === (index ?? hunk))
    const hunks = indexes ? [...indexes] : index === undefined ? undefined : [index]
    // Without `hunks`, the undo of a new file removes the file.
    const part = hunks?.length === status?.hunks.length ? {} : { hunks }
    revert.mutate({ agent, change, path, isRedo: hunkStatus === 'undone', ...part })
  }
  const overall: HunkStatus = canUndo ? 'there' : status.hunks.includes('changed') ? 'changed' : 'undone'
  return {
    statusOf,
    /** `there` while any hunk can be undone. */
    overall,
    isUndoing: revert.isPending,
    undo: (index?: number) => run('there', index),
    redo: (index?: number) => run('undone', index),
  }
}
