import { PanelLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { commandKeys } from '#lib/router/command-keys.ts'
import { IconButton } from '#lib/ui/button.tsx'
import { formatBoundKeys } from '#lib/util/shortcuts.ts'
import { Modal, ModalTitle } from '#lib/ui/modal.tsx'
import type { SidebarState } from './use-sidebar.ts'

export function SidebarFrame({ sidebar, children }: { sidebar: SidebarState; children: ReactNode }) {
  const { t } = useTranslation()
  if (sidebar.mode !== 'drawer') return children
  return (
    <Modal className="inset-y-0 left-0 flex max-w-[88vw] bg-side shadow-float" onClose={sidebar.close}>
      <span className="sr-only">
        <ModalTitle>{t('nav.main')}</ModalTitle>
      </span>
      {children}
    </Modal>
  )
}

export function SidebarButton({ onToggle }: { onToggle: () => void }) {
  const { t } = useTranslation()
  return (
    <IconButton
      label={t('nav.toggleSidebar')}
      title={`${t('nav.toggleSidebar')} (${formatBoundKeys(commandKeys.sidebar)})`}
      className="-ml-1"
      onClick={onToggle}
    >
      <PanelLeft size={15} />
    </IconButton>
  )
}
