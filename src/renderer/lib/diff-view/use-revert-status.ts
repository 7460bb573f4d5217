import { useQuery, useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { pickHunks } from '#shared/util/patch-hunks.ts'
import { api, client, queryClient } from '../api/client.ts'
import { tellDone } from '../feedback/toast.ts'

type Standing = 'there' | 'undone' | 'changed'

export interface StandingChange {
  /** Of each hunk. What is not known yet is taken to stand: taking it back says when it does not. */
  readonly of: (place: number) => Standing
  /** Of all of it: it stands while any of it can be taken back. */
  readonly whole: Standing
  readonly isUndoing: boolean
  /** Takes back what still stands of it, or of one hunk. */
  readonly undo: (place?: number) => void
  /** Does again what was taken back of it, or one hunk. */
  readonly redo: (place?: number) => void
}

export function useStanding(agent: string, path: string, patch: string): StandingChange {
  const known = useQuery(api.history.standing.queryOptions({ input: { agent, path, patch } })).data
  const undo = useUndo()
  const redo = useRedo()
  const of = (place: number) => known?.hunks[place] ?? 'there'
  const stands = !known || known.hunks.includes('there')
  return {
    of,
    whole: stands ? 'there' : known.hunks.includes('changed') ? 'changed' : 'undone',
    isUndoing: undo.isPending || redo.isPending,
    undo: (place) =>
      undo.mutate({
        agent,
        path: known?.path ?? path,
        patch: pickHunks(patch, (at) => (place === undefined ? of(at) === 'there' : at === place)),
      }),
    redo: (place) =>
      redo.mutate({
        agent,
        path: known?.path ?? path,
        patch: pickHunks(patch, (at) => (place === undefined ? of(at) === 'undone' : at === place)),
      }),
  }
}

function useUndo() {
  const { t } = useTranslation()
  return useMutation(
    api.workspace.undo.mutationOptions({
      onSuccess: ({ path, trashed }, { agent, patch }) => {
        if (trashed === undefined) tellDone(t('tool.undone'), () => client.workspace.redo({ agent, path, patch }))
        else tellDone(t('file.deleted', { path }), () => client.workspace.restore({ agent, trashed }))
      },
      // Under way until it is known what stands now: nobody is offered the same twice.
      onSettled: () => queryClient.invalidateQueries({ queryKey: api.history.standing.key() }),
    }),
  )
}

function useRedo() {
  const { t } = useTranslation()
  return useMutation(
    api.workspace.redo.mutationOptions({
      onSuccess: () => toast.success(t('tool.redone')),
      onSettled: () => queryClient.invalidateQueries({ queryKey: api.history.standing.key() }),
    }),
  )
}
