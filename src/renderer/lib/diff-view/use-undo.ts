/** Takes back a change of a file, says so, and offers the way back from that; and does it again. */
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { api, client, queryClient } from '../api/client.ts'
import { tellDone } from '../feedback/toast.ts'

export function useUndo() {
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

export function useRedo() {
  const { t } = useTranslation()
  return useMutation(
    api.workspace.redo.mutationOptions({
      onSuccess: () => toast.success(t('tool.redone')),
      onSettled: () => queryClient.invalidateQueries({ queryKey: api.history.standing.key() }),
    }),
  )
}
