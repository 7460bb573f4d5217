import { MoreHorizontal } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { SessionSummary } from '../../shared/contract/index.ts'
import { client } from '../api/index.ts'
import { explainError } from '../feedback/index.ts'
import { ActionItem, ActionMenu, ActionSeparator } from '../ui/action-menu.tsx'
import { IconButton } from '../ui/button.tsx'
import { clipLine } from '../ui/clip.ts'
import { download } from '../ui/download.ts'
import { paths, sessionAt, usePlace } from '../navigate.ts'
import { PromptDialog } from '../ui/prompt-dialog.tsx'

interface SessionMenuProps {
  readonly agent: string
  readonly summary: SessionSummary
  readonly trigger?: ReactElement
}

/** What can be done with a conversation as a whole. */
export function SessionMenu({ agent, summary, trigger }: SessionMenuProps) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const session = sessionAt(usePlace())
  const [isRenaming, setIsRenaming] = useState(false)
  const target = { agent, session: summary.id }
  const attempt = (work: Promise<unknown>) => void work.catch((error: unknown) => void toast.error(explainError(error)))
  const save = async (format: 'markdown' | 'jsonl') => {
    const { name, text } = await client.sessions.export({ ...target, format })
    download(name, text)
  }
  const remove = async () => {
    await client.sessions.remove(target)
    if (session === summary.id) navigate(paths.chat())
    toast(t('session.removed', { title: clipLine(summary.title, 100) || t('nav.untitled') }), {
      action: { label: t('common.undo'), onClick: () => attempt(client.sessions.restore(target)) },
    })
  }
  return (
    <>
      <ActionMenu
        trigger={
          trigger ?? (
            <IconButton label={t('session.menu')}>
              <MoreHorizontal size={15} />
            </IconButton>
          )
        }
      >
        <ActionItem onClick={() => setIsRenaming(true)}>{t('session.rename')}</ActionItem>
        <ActionItem onClick={() => attempt(client.sessions.pin({ ...target, pinned: !summary.pinned }))}>
          {t(summary.pinned ? 'session.unpin' : 'session.pin')}
        </ActionItem>
        <ActionItem onClick={() => attempt(save('markdown'))}>{t('session.exportMarkdown')}</ActionItem>
        <ActionItem onClick={() => attempt(save('jsonl'))}>{t('session.exportJsonl')}</ActionItem>
        <ActionSeparator />
        <ActionItem onClick={() => attempt(remove())}>{t('session.remove')}</ActionItem>
      </ActionMenu>
      {isRenaming && (
        <PromptDialog
          title={t('session.rename')}
          label={t('session.name')}
          initial={summary.title}
          action={t('session.save')}
          onClose={() => setIsRenaming(false)}
          onSubmit={(name) => attempt(client.sessions.rename({ ...target, name }))}
        />
      )}
    </>
  )
}
