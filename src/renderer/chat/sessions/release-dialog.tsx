import { useMutation, useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { toast } from 'sonner'
import { api } from '#lib/api/client.ts'
import { QueryView } from '#lib/feedback/query-view.tsx'
import { Dialog } from '#lib/ui/dialog.tsx'
import { LineList } from '../composer/private-lines.tsx'

/** Shows what a release of a private chat would let out, and releases it. */
export function ReleaseDialog({ agent, session, onClose }: { agent: string; session: string; onClose: () => void }) {
  const preview = useQuery({ ...api.sessions.previewRelease.queryOptions({ input: { agent, session } }), gcTime: 0 })
  const release = useMutation(
    api.sessions.release.mutationOptions({
      onSuccess() {
        toast.success(t('release.done'))
        onClose()
      },
    }),
  )
  return (
    <Dialog
      title={t('release.title')}
      action={t('release.release')}
      canSubmit={preview.data !== undefined && !release.isPending}
      onSubmit={() => release.mutate({ agent, session })}
      onClose={onClose}
    >
      <p>{t('release.hint')}</p>
      <QueryView query={preview} lines={3}>
        {({ messages, lines, lineCount, notes }) => (
          <>
            <p>{t('release.messages', { count: messages })}</p>
            {lineCount > 0 && (
              <>
                <p>{t('release.lines', { count: lineCount })}</p>
                <LineList lines={lines} count={lineCount} />
              </>
            )}
            {notes.length > 0 && <p>{t('release.notes', { count: notes.length, paths: notes.join(', ') })}</p>}
          </>
        )}
      </QueryView>
    </Dialog>
  )
}
