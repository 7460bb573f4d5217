import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
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
  const { t } = useTranslation()
  const [planned, setPlanned] = useState<{ to: string; plan: MovePlan & { staysLocal: boolean } }>()
  const move = async (to: string, plan: MovePlan | undefined) => {
    const { links, notes, staysLocal, undo } = await client.links.move({
      agent,
      from,
      to,
      ...(plan ? { plan: plan.id } : {}),
    })
    const moved = links > 0 ? t('links.movedWith', { path: to, count: links, notes }) : t('file.moved', { path: to })
    void refreshBatches()
    const told = staysLocal ? `${moved} ${t('links.staysLocal')}` : moved
    showSuccess(told, () => undoBatch(agent, undo), { look: 'plain' })
    onMoved(to)
  }
  const moveAsChosen = async (to: string, chosen: MovePlan | undefined) => {
    // Closed first: progress and cancel appear in a corner, which the dialog would cover.
    onClose()
    await runWithErrorToast(move(to, chosen))
  }
  const begin = async (to: string) => {
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
        leftBehind={t('links.leftBehind', { count: planned.plan.left.length })}
        choices={[
          { label: t('links.onlyMove'), onChoose: () => moveAsChosen(planned.to, undefined) },
          { label: t('links.update'), onChoose: () => moveAsChosen(planned.to, planned.plan) },
        ]}
        onClose={onClose}
      />
    )
  return <NameDialog from={from} onSubmit={(to) => errorTextOf(begin(to))} onClose={onClose} />
}

interface NameDialogProps {
  readonly from: string
  /** @returns a sentence if the path is refused */
  readonly onSubmit: (to: string) => Promise<string | undefined>
  readonly onClose: () => void
}

function NameDialog({ from, onSubmit, onClose }: NameDialogProps) {
  const { t } = useTranslation()
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
        const refusal = await onSubmit(to.replace(/\/+$/, ''))
        isDone.current = refusal === undefined
        return refusal
      }}
    />
  )
}
