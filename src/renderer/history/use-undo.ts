/** Takes back a change of a file, and says so. */
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { api, queryClient } from '../api/index.ts'

export function useUndo() {
  const { t } = useTranslation()
  return useMutation(
    api.workspace.undo.mutationOptions({
      onSuccess: () => toast.success(t('tool.undone')),
      // Under way until it is known what stands now: nobody is offered the same twice.
      onSettled: () => queryClient.invalidateQueries({ queryKey: api.history.standing.key() }),
    }),
  )
}
