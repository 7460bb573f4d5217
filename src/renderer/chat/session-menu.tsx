import { Menu } from '@base-ui/react/menu'
import { MoreHorizontal } from 'lucide-react'
import { useState, type FormEvent, type ReactElement } from 'react'
import { Dialog } from '@base-ui/react/dialog'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { SessionSummary } from '../../shared/contract/index.ts'
import { client, explainError } from '../api/index.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { download } from '../ui/download.ts'
import { paths } from '../ui/navigate.ts'

interface SessionMenuProps {
  readonly agent: string
  readonly summary: SessionSummary
  readonly trigger?: ReactElement
}

/** What can be done with a conversation as a whole. */
export function SessionMenu({ agent, summary, trigger }: SessionMenuProps) {
  const { t } = useTranslation()
  const [location, navigate] = useLocation()
  const [isRenaming, setIsRenaming] = useState(false)
  const target = { agent, session: summary.id }
  const attempt = (work: Promise<unknown>) => void work.catch((error: unknown) => void toast.error(explainError(error)))
  const save = async (format: 'markdown' | 'jsonl') => {
    const { name, text } = await client.sessions.export({ ...target, format })
    download(name, text)
  }
  const remove = async () => {
    await client.sessions.remove(target)
    if (location === paths.chat(summary.id)) navigate(paths.chat())
    toast(t('session.removed', { title: summary.title || t('nav.untitled') }), {
      action: { label: t('common.undo'), onClick: () => attempt(client.sessions.restore(target)) },
    })
  }
  return (
    <>
      <Menu.Root>
        <Menu.Trigger
          render={
            trigger ?? (
              <IconButton label={t('session.menu')}>
                <MoreHorizontal size={15} />
              </IconButton>
            )
          }
        />
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="end" className="z-50">
            <Menu.Popup className="min-w-48 rounded-md border border-line bg-raised p-1 text-[13px] shadow-float">
              <Item onClick={() => setIsRenaming(true)}>{t('session.rename')}</Item>
              <Item onClick={() => attempt(client.sessions.pin({ ...target, pinned: !summary.pinned }))}>
                {t(summary.pinned ? 'session.unpin' : 'session.pin')}
              </Item>
              <Item onClick={() => attempt(save('markdown'))}>{t('session.exportMarkdown')}</Item>
              <Item onClick={() => attempt(save('jsonl'))}>{t('session.exportJsonl')}</Item>
              <Menu.Separator className="my-1 border-t border-line" />
              <Item onClick={() => attempt(remove())}>{t('session.remove')}</Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {isRenaming && (
        <RenameDialog
          title={summary.title}
          onClose={() => setIsRenaming(false)}
          onRename={(name) => attempt(client.sessions.rename({ ...target, name }))}
        />
      )}
    </>
  )
}

function Item({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Menu.Item onClick={onClick} className="flex min-h-7 items-center rounded-sm px-2 data-[highlighted]:bg-soft">
      {children}
    </Menu.Item>
  )
}

interface RenameDialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly onRename: (name: string) => void
}

function RenameDialog({ title, onClose, onRename }: RenameDialogProps) {
  const { t } = useTranslation()
  const [name, setName] = useState(title)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    onRename(name.trim())
    onClose()
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-text/10 dark:bg-paper/60" />
        <Dialog.Popup className="fixed top-[22vh] left-1/2 z-50 w-[min(440px,92vw)] -translate-x-1/2 rounded-lg border border-line bg-raised p-4 shadow-float">
          <form onSubmit={submit} className="flex flex-col gap-3">
            <Dialog.Title className="font-semibold">{t('session.rename')}</Dialog.Title>
            <input
              autoFocus
              value={name}
              maxLength={200}
              aria-label={t('session.name')}
              onChange={(event) => setName(event.target.value)}
              onFocus={(event) => event.target.select()}
              className="rounded-sm border border-line bg-paper px-3 py-2 outline-none focus:border-accent"
            />
            <div className="flex justify-end gap-2">
              <Button look="quiet" onClick={onClose}>
                {t('common.cancel')}
              </Button>
              <Button look="primary" type="submit" disabled={name.trim() === ''}>
                {t('session.save')}
              </Button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
