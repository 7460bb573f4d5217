import { FileText, Film, Image, LayoutDashboard, Music } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from 'i18next'
import { useLocation } from 'wouter'
import { isFileAt, paths } from '#lib/router/paths.ts'
import { ActionItem } from '#lib/ui/action-menu.tsx'
import { NavRow } from '#lib/ui/nav-row.tsx'
import type { FileActions } from './tree/file-actions.ts'
import { attachmentOrCanvasKind } from './file-kind.ts'
import { PathMenu } from './tree/path-menu.tsx'

const icons = { image: Image, audio: Music, video: Film, document: FileText, canvas: LayoutDashboard } as const

interface AttachmentRowProps {
  readonly path: string
  readonly name: ReactNode
  /** Encoded path of the current page. */
  readonly current: string
  readonly actions: FileActions
}

export function AttachmentRow({ path, name, current, actions }: AttachmentRowProps) {
  const [, navigate] = useLocation()
  const kind = attachmentOrCanvasKind(path) ?? 'document'
  const Icon = icons[kind]
  return (
    <div className="group/row relative">
      <NavRow
        href={paths.file(path)}
        isCurrent={isFileAt(current, path)}
        icon={<Icon size={13} role="img" aria-label={t(`other.${kind}`)} />}
      >
        {name}
      </NavRow>
      <span className="absolute top-0 right-0 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 has-[[data-popup-open]]:opacity-100">
        <PathMenu
          agent={actions.agent}
          path={path}
          onMoved={(to) => isFileAt(current, path) && navigate(paths.file(to))}
        >
          <ActionItem onClick={() => actions.reveal(path, false)}>{t('file.reveal')}</ActionItem>
          {kind !== 'canvas' && (
            <ActionItem onClick={() => actions.reveal(path, true)}>{t('file.openOutside')}</ActionItem>
          )}
        </PathMenu>
      </span>
    </div>
  )
}
