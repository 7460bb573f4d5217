import { useRef, useState } from 'react'
import { t } from 'i18next'
import type { MovePlan } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { runWithErrorToast, errorTextOf, showSuccess } from '#lib/feedback/toast.ts'
import { PromptDialog } from '#lib/ui/prompt-dialog.tsx'
import { refreshBatches, undoBatch } from '../history/revert-change.ts'
import { PlanDialog } from './plan-dialog.tsx'

interface MoveDialogProps {
  readonly agent: string
  /** A file, or a folder without a trailing `/`. */
  readonly from: string
  readonly onMoved: (to: string) => void
  readonly onClose: () => void
}

export function MoveDialog({ agent, from, onMoved, onClose }: MoveDialogProps) {
  const [planned, setPlanned] = useState<{ to: string; plan: MovePlan & { staysLocal: boolean } }>()
  const move = async (to: string, plan: MovePlan | undefined) => {
    const input = { agent, from, to, ...(plan ? { plan: plan.id } : {}) }
    const { links, notes, staysLocal, undo } = await client.links.move(input)
    const moved = links > 0 ? t('links.movedWith', { path: to, count: links, notes }) : t('file.moved', { path: to })
    void refreshBatches()
    const message = staysLocal ? `${moved} ${t('links.staysLocal')}` : moved
    showSuccess(message, () => undoBatch(agent, undo), { look: 'plain' })
    onMoved(to)
  }
  const closeAndMove = async (to: string, plan: MovePlan | undefined) => {
    // Closes first, since the dialog would cover the progress and its cancel button in the corner.
    onClose()
    await runWithErrorToast(move(to, plan))
  }
  const planMove = async (to: string) => {
    const plan = to === from ? undefined : await client.links.planMove({ agent, from, to })
    if (plan && (plan.links > 0 || plan.left.length > 0)) return setPlanned({ to, plan })
    if (plan) await move(to, undefined)
    onClose()
  }
  if (planned)
    return (
      <PlanDialog
        plan={planned.plan}
        title={t('links.willUpdate', {
          count: planned.plan.links,
          notes: t('links.inNotes', { count: planned.plan.notes }),
        })}
        hint={planned.plan.staysLocal ? t('links.staysLocal') : undefined}
        skippedTitle={t('links.leftBehind', { count: planned.plan.left.length })}
        choices={[
          { label: t('links.onlyMove'), onChoose: () => closeAndMove(planned.to, undefined) },
          { label: t('links.update'), onChoose: () => closeAndMove(planned.to, planned.plan) },
        ]}
        onClose={onClose}
      />
    )
  return <NameDialog from={from} onSubmit={(to) => errorTextOf(planMove(to))} onClose={onClose} />
}

interface NameDialogProps {
  readonly from: string
  /** @returns the error text if the path is refused */
  readonly onSubmit: (to: string) => Promise<string | undefined>
  readonly onClose: () => void
}

function NameDialog({ from, onSubmit, onClose }: NameDialogProps) {
  const isDone = useRef(false)
  return (
    <PromptDialog
      title={t('file.rename')}
      label={t('file.path')}
      initial={from}
      action={t('file.move')}
      isPath
      onClose={() => isDone.current || onClose()}
      onSubmit={async (to) => {
        const errorText = await onSubmit(to.replace(/\/+$/, ''))
        isDone.current = errorText === undefined
        return errorText
      }}
    />
  )
}
