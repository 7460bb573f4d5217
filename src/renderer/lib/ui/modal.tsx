import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode, RefObject } from 'react'

export const backdropLook = 'fixed inset-0 z-40 bg-text/10 dark:bg-paper/60'

interface ModalProps {
  readonly className: string
  /** Default: the first element that can take the focus. */
  readonly initialFocus?: RefObject<HTMLElement | null> | undefined
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Modal({ className, initialFocus, onClose, children }: ModalProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropLook} />
        <Dialog.Popup className={`fixed z-50 ${className}`} {...(initialFocus ? { initialFocus } : {})}>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export function ModalTitle({ children }: { children: ReactNode }) {
  return <Dialog.Title className="font-semibold">{children}</Dialog.Title>
}
