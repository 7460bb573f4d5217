import { useState } from 'react'
import { t } from 'i18next'
import type { MovePlan } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { showChange } from '#lib/feedback/change-toast.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { PromptDialog } from '#lib/ui/prompt-dialog.tsx'
import { PlanDialog } from './plan-dialog.tsx'

interface MoveDialogProps {
  readonly agent: string
  /** A file, or a folder without a trailing `/`. */
  readonly from: string
  readonly onMoved: (to: string) => void
  readonly onClose: () => void
}

export function MoveDialog({ agent, from, onMoved, onClose }: MoveDialogProps) {
  const [planned, setPlanned] = useState<{ to: string; plan: MovePlan & { staysPrivate: boolean } }>()
  const move = async (to: string, plan: MovePlan | undefined) => {
    const { links, notes, staysPrivate, change } = await client.links.move({ agent, from, to, plan: plan?.id })
    const moved = links > 0 ? t('links.movedWith', { path: to, count: links, notes }) : t('file.moved', { path: to })
    const message = staysPrivate ? `${moved} ${t('links.staysPrivate')}` : moved
    showChange(message, agent, change, { look: 'plain' })
    onMoved(to)
  }
  const closeAndMove = async (to: string, plan: MovePlan | undefined) => {
    // Closes first, since the dialog would cover the progress and its cancel button in the corner.
    onClose()
    await runWithErrorToast(move(to, plan))
  }
  const planMove = async (to: string) => {
    const plan = to === from ? undefined : await client.links.planMove({ agent, from, to })
    if (!plan) return undefined
    if (plan.links === 0 && plan.left.length === 0) return move(to, undefined)
    setPlanned({ to, plan })
    return 'next' as const
  }
  if (planned)
    return (
      <PlanDialog
        plan={planned.plan}
        title={t('links.willUpdate', {
          count: planned.plan.links,
          notes: t('links.inNotes', { count: planned.plan.notes }),
        })}
        hint={planned.plan.staysPrivate ? t('links.staysPrivate') : undefined}
        skippedTitle={t('links.leftBehind', { count: planned.plan.left.length })}
        choices={[
          { label: t('links.onlyMove'), onChoose: () => closeAndMove(planned.to, undefined) },
          { label: t('links.update'), onChoose: () => closeAndMove(planned.to, planned.plan) },
        ]}
        onClose={onClose}
      />
    )
  return (
    <PromptDialog
      title={t('file.rename')}
      label={t('file.path')}
      initial={from}
      action={t('file.move')}
      isPath
      onClose={onClose}
      onSubmit={(to) => planMove(to.replace(/\/+$/, ''))}
    />
  )
}
