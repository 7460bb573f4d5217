/** Quick capture above whatever is open. */
import { Modal } from '#lib/ui/modal.tsx'
import type { Agent } from '#shared/contract/index.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { CaptureCard } from './capture-card.tsx'

interface CaptureDialogProps {
  readonly agents: readonly Agent[]
  /** What to begin with. */
  readonly text: string | undefined
  readonly onClose: () => void
}

export function CaptureDialog({ agents, text, onClose }: CaptureDialogProps) {
  return (
    <Modal className="top-[28vh] left-1/2 w-[min(520px,92vw)] -translate-x-1/2 outline-none" onClose={onClose}>
      <ErrorBoundary piece="part" of={text}>
        <CaptureCard agents={agents} given={text} onClose={onClose} />
      </ErrorBoundary>
    </Modal>
  )
}
