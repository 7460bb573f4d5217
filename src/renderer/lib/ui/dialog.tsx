import { t } from 'i18next'
import { useRef, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Modal, ModalTitle } from './modal.tsx'

interface DialogProps {
  readonly title: string
  /** Label of the button that submits; without it the dialog can only be closed. */
  readonly action?: string | undefined
  readonly canSubmit?: boolean
  /** True to put the focus on the button that submits. */
  readonly focusesAction?: boolean
  readonly aside?: ReactNode
  /** Distance from the top, width and height. */
  readonly className?: string
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Dialog({
  title,
  action,
  canSubmit = true,
  focusesAction = false,
  aside,
  className = 'top-[22vh] w-[min(460px,92vw)]',
  onSubmit,
  onClose,
  children,
}: DialogProps) {
  const actionButton = useRef<HTMLButtonElement>(null)
  return (
    <Modal
      className={`left-1/2 -translate-x-1/2 rounded-lg border border-line bg-raised p-4 shadow-float ${className}`}
      initialFocus={focusesAction ? actionButton : undefined}
      onClose={onClose}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        <ModalTitle>{title}</ModalTitle>
        {children}
        <div className="flex flex-wrap items-center justify-end gap-2">
          {aside}
          <Button look="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          {action !== undefined && (
            <Button ref={actionButton} look="primary" type="submit" disabled={!canSubmit}>
              {action}
            </Button>
          )}
        </div>
      </form>
    </Modal>
  )
}
