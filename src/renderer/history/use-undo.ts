/** Takes back a change of a file, and says so. */
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { api } from '../api/index.ts'

export function useUndo() {
  const { t } = useTranslation()
  return useMutation(api.workspace.undo.mutationOptions({ onSuccess: () => toast.success(t('tool.undone')) }))
}
