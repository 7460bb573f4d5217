import { useMutation, useQuery } from '@tanstack/react-query'
import { MoreHorizontal } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { t } from 'i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { SessionSummary } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { ActionItem, ActionMenu, ActionSeparator, Button, IconButton } from '#lib/ui/button.tsx'
import { Dialog, PromptDialog } from '#lib/ui/dialog.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { download } from '#lib/util/download.ts'
import { paths, sessionAt, useEncodedPath } from '#lib/router/paths.ts'
import { QueryView } from '#lib/ui/states.tsx'
import { LineList } from '../composer/private-lines.tsx'

interface SessionMenuProps {
  readonly agent: string
  readonly summary: SessionSummary
  readonly trigger?: ReactElement
}

export function SessionMenu({ agent, summary, trigger }: SessionMenuProps) {
  const [, navigate] = useLocation()
  const openSession = sessionAt(useEncodedPath())
  const [isRenaming, setIsRenaming] = useState(false)
  const [isReleasing, setIsReleasing] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const target = { agent, session: summary.id }
  const rename = useMutation(api.sessions.rename.mutationOptions())
  const pin = useMutation(api.sessions.pin.mutationOptions())
  const recall = useMutation(api.sessions.setWithoutRecall.mutationOptions())
  const save = useMutation(api.sessions.export.mutationOptions({ onSuccess: ({ name, text }) => download(name, text) }))
  const makePrivate = useMutation(
    api.sessions.makePrivate.mutationOptions({ onSuccess: () => toast.success(t('chat.madePrivate')) }),
  )
  const remove = useMutation(
    api.sessions.remove.mutationOptions({
      onSuccess() {
        if (openSession === summary.id) navigate(paths.chat())
        const title = clipLine(summary.title, 100) || t('nav.untitled')
        showSuccess(t('session.removed', { title }), () => client.sessions.restore(target), { look: 'plain' })
      },
    }),
  )
  return (
    <>
      <ActionMenu trigger={trigger ?? <IconButton icon={MoreHorizontal} label={t('session.menu')} />}>
        <ActionItem onClick={() => setIsRenaming(true)}>{t('session.rename')}</ActionItem>
        <ActionItem onClick={() => pin.mutate({ ...target, pinned: !summary.pinned })}>
          {t(summary.pinned ? 'session.unpin' : 'session.pin')}
        </ActionItem>
        {!summary.isWithoutMemory && (
          <ActionItem onClick={() => recall.mutate({ ...target, isWithoutRecall: !summary.isWithoutRecall })}>
            {t(summary.isWithoutRecall ? 'session.recall' : 'session.noRecall')}
          </ActionItem>
        )}
        {summary.isPrivate ? (
          <ActionItem onClick={() => setIsReleasing(true)}>{t('release.open')}</ActionItem>
        ) : (
          <ActionItem onClick={() => makePrivate.mutate(target)}>{t('private.lockThis')}</ActionItem>
        )}
        <ActionItem onClick={() => save.mutate({ ...target, format: 'markdown' })}>
          {t('session.exportMarkdown')}
        </ActionItem>
        <ActionItem onClick={() => save.mutate({ ...target, format: 'jsonl' })}>{t('session.exportJsonl')}</ActionItem>
        <ActionSeparator />
        <ActionItem onClick={() => (summary.areNotesMissing ? setIsDeleting(true) : remove.mutate(target))}>
          {t('file.delete')}
        </ActionItem>
      </ActionMenu>
      {isDeleting && (
        <DeleteDialog {...target} onDelete={() => remove.mutate(target)} onClose={() => setIsDeleting(false)} />
      )}
      {isReleasing && <ReleaseDialog agent={agent} session={summary.id} onClose={() => setIsReleasing(false)} />}
      {isRenaming && (
        <PromptDialog
          title={t('session.rename')}
          label={t('session.name')}
          initial={summary.title}
          action={t('file.save')}
          onClose={() => setIsRenaming(false)}
          onSubmit={(name) => rename.mutate({ ...target, name })}
        />
      )}
    </>
  )
}

/** Shows what a release of a private chat would let out, and releases it. */
function ReleaseDialog({ agent, session, onClose }: { agent: string; session: string; onClose: () => void }) {
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

interface DeleteDialogProps {
  readonly agent: string
  readonly session: string
  readonly onDelete: () => void
  readonly onClose: () => void
}

/** Asks before the deletion of a chat whose notes are not saved, and offers to save them first. */
function DeleteDialog({ agent, session, onDelete, onClose }: DeleteDialogProps) {
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
