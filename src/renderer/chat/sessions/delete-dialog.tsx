import { useMutation } from '@tanstack/react-query'
import { t } from 'i18next'
import { api } from '#lib/api/client.ts'
import { Button } from '#lib/ui/button.tsx'
import { Dialog } from '#lib/ui/dialog.tsx'

interface DeleteDialogProps {
  readonly agent: string
  readonly session: string
  readonly onDelete: () => void
  readonly onClose: () => void
}

/** Asks before the deletion of a chat whose notes are not saved, and offers to save them first. */
export function DeleteDialog({ agent, session, onDelete, onClose }: DeleteDialogProps) {
  const remove = () => {
    onClose()
    onDelete()
  }
  const takeNotes = useMutation(
    api.sessions.takeNotes.mutationOptions({ onSuccess: ({ isComplete }) => isComplete && remove() }),
  )
  return (
    <Dialog
      title={t('session.removeTitle')}
      action={t(takeNotes.isPending ? 'session.savingNotes' : 'session.saveNotesAndRemove')}
      canSubmit={!takeNotes.isPending}
      aside={
        <Button look="quiet" onClick={remove}>
          {t('session.removeWithoutNotes')}
        </Button>
      }
      onSubmit={() => takeNotes.mutate({ agent, session })}
      onClose={onClose}
    >
      <p>{t('session.notesMissing')}</p>
      {takeNotes.data?.isComplete === false && <p className="text-warning">{t('session.notesFailed')}</p>}
    </Dialog>
  )
}
