import { useQuery, useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { pickHunks } from '#shared/util/patch-hunks.ts'
import { api, client, queryClient } from '../api/client.ts'
import { showSuccess } from '../feedback/toast.ts'

type HunkStatus = 'there' | 'undone' | 'changed'

export type RevertStatus = ReturnType<typeof useRevertStatus>

/** Returns the undo status of a change, with actions that undo and redo it. @param patch unified diff of the change */
export function useRevertStatus(agent: string, path: string, patch: string) {
  const status = useQuery(api.history.standing.queryOptions({ input: { agent, path, patch } })).data
  const { t } = useTranslation()
  // A mutation stays pending until the new status is loaded, so that the buttons cannot be clicked twice.
  const onSettled = () => queryClient.invalidateQueries({ queryKey: api.history.standing.key() })
  const undo = useMutation(
    api.workspace.undo.mutationOptions({
      onSettled,
      onSuccess: ({ path, trashed }, { patch }) => {
        if (trashed === undefined) showSuccess(t('tool.undone'), () => client.workspace.redo({ agent, path, patch }))
        else showSuccess(t('file.deleted', { path }), () => client.workspace.restore({ agent, trashed }))
      },
    }),
  )
  const redo = useMutation(
    api.workspace.redo.mutationOptions({ onSettled, onSuccess: () => toast.success(t('tool.redone')) }),
  )
  /** While the status is loading, a hunk counts as `there`; an undo reports a conflict. */
  const statusOf = (index: number): HunkStatus => status?.hunks[index] ?? 'there'
  const canUndo = !status || status.hunks.includes('there')
  /** @param index one hunk; all hunks of this status if undefined */
  const inputFor = (hunkStatus: HunkStatus, index: number | undefined) => ({
    agent,
    path: status?.path ?? path,
    patch: pickHunks(patch, (hunk) => (index === undefined ? statusOf(hunk) === hunkStatus : hunk === index)),
  })
  const overall: HunkStatus = canUndo ? 'there' : status.hunks.includes('changed') ? 'changed' : 'undone'
  return {
    statusOf,
    /** `there` while any hunk can be undone. */
    overall,
    isUndoing: undo.isPending || redo.isPending,
    undo: (index?: number) => undo.mutate(inputFor('there', index)),
    redo: (index?: number) => redo.mutate(inputFor('undone', index)),
  }
}
