import { t } from 'i18next'
import { Modal, ModalTitle } from './modal.tsx'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { ErrorBoundary } from './error-boundary.tsx'

interface SheetProps {
  readonly title: string
  readonly tools?: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Sheet({ title, tools, onClose, children }: SheetProps) {
  return (
    <Modal
      className="inset-x-[6vw] inset-y-[7vh] flex flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-float"
      onClose={onClose}
    >
      <header className="flex min-h-11 flex-wrap items-center gap-3 border-b border-line py-1 pr-2 pl-4">
        <ModalTitle>{title}</ModalTitle>
        <span className="flex-1" />
        {tools}
        <IconButton label={t('common.close')} onClick={onClose}>
          <X size={14} />
        </IconButton>
      </header>
      <ErrorBoundary piece="view" variant="view" resetKey={title}>
        {children}
      </ErrorBoundary>
    </Modal>
  )
}
