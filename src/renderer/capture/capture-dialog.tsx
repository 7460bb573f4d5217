import { Dialog } from '@base-ui/react/dialog'
import type { Agent } from '../../shared/contract/index.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { CaptureCard } from './capture-card.tsx'

interface CaptureDialogProps {
  readonly agents: readonly Agent[]
  /** What to begin with. */
  readonly text: string | undefined
  readonly onClose: () => void
}

/** Quick capture above whatever is open. */
export function CaptureDialog({ agents, text, onClose }: CaptureDialogProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-text/10 dark:bg-paper/60" />
        <Dialog.Popup className="fixed top-[28vh] left-1/2 z-50 w-[min(520px,92vw)] -translate-x-1/2 outline-none">
          <ErrorBoundary piece="part" of={text}>
            <CaptureCard agents={agents} given={text} onClose={onClose} />
          </ErrorBoundary>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
