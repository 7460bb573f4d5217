import { MoreHorizontal } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { t } from 'i18next'
import { MoveDialog } from '../links/move-dialog.tsx'
import { ActionItem, ActionMenu } from '#lib/ui/action-menu.tsx'
import { IconButton } from '#lib/ui/button.tsx'

interface PathMenuProps {
  readonly agent: string
  /** A file, or a folder without a trailing `/`. */
  readonly path: string
  readonly onMoved: (to: string) => void
  readonly children?: ReactNode
}

export function PathMenu({ agent, path, onMoved, children }: PathMenuProps) {
  const [isMoving, setIsMoving] = useState(false)
  return (
    <>
      <ActionMenu trigger={<IconButton icon={MoreHorizontal} label={t('file.menu', { path })} />}>
        <ActionItem onClick={() => setIsMoving(true)}>{t('file.rename')}</ActionItem>
        {children}
      </ActionMenu>
      {isMoving && <MoveDialog agent={agent} from={path} onMoved={onMoved} onClose={() => setIsMoving(false)} />}
    </>
  )
}
