/** Gives a note or a folder another name or place; where others link to it, it is asked whether their links go along. */
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MovePlan } from '../../shared/contract/index.ts'
import { api, client } from '../api/index.ts'
import { attempt, tellDone } from '../feedback/index.ts'
import { PromptDialog } from '../ui/prompt-dialog.tsx'
import { PlanDialog } from './plan-dialog.tsx'

interface MoveDialogProps {
  readonly agent: string
  /** A file, or a folder without `/` at its end. */
  readonly from: string
  readonly onMoved: (to: string) => void
  readonly onClose: () => void
}

export function MoveDialog({ agent, from, onMoved, onClose }: MoveDialogProps) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [planned, setPlanned] = useState<{ to: string; plan: MovePlan }>()
  const move = async (to: string, plan: MovePlan | undefined) => {
    const done = await attempt(client.links.move({ agent, from, to, ...(plan ? { plan: plan.id } : {}) }))
    onClose()
    if (!done) return
    const { links, notes, undo } = done.value
    const told = links > 0 ? t('links.movedWith', { path: to, count: links, notes }) : t('file.moved', { path: to })
    const showMoves = () => queries.invalidateQueries({ queryKey: api.links.moves.key() })
    void showMoves()
    tellDone(told, () => client.links.undoMove({ agent, undo }).then(showMoves), { look: 'plain' })
    onMoved(to)
  }
  const plan = async (to: string) => {
    if (to === from) return onClose()
    const made = await attempt(client.links.planMove({ agent, from, to }))
    if (!made) return onClose()
    if (made.value.links === 0 && made.value.left.length === 0) return move(to, undefined)
    return setPlanned({ to, plan: made.value })
  }
  if (planned)
    return (
      <PlanDialog
        plan={planned.plan}
        title={t('links.willUpdate', {
          count: planned.plan.links,
          notes: t('links.inNotes', { count: planned.plan.notes }),
        })}
        leftBehind={t('links.leftBehind', { count: planned.plan.left.length })}
        choices={[
          { label: t('links.onlyMove'), onChoose: () => move(planned.to, undefined) },
          { label: t('links.update'), onChoose: () => move(planned.to, planned.plan) },
        ]}
        onClose={onClose}
      />
    )
  return <NameDialog from={from} onSubmit={plan} onClose={onClose} />
}

function NameDialog({
  from,
  onSubmit,
  onClose,
}: {
  from: string
  onSubmit: (to: string) => Promise<void>
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [isAsked, setIsAsked] = useState(false)
  const wasAsked = useRef(false)
  // The dialog closes itself; this one goes when it is known what the move would change.
  if (isAsked) return null
  return (
    <PromptDialog
      title={t('file.rename')}
      label={t('file.path')}
      initial={from}
      action={t('file.move')}
      isPath
      onClose={() => wasAsked.current || onClose()}
      onSubmit={(to) => {
        wasAsked.current = true
        setIsAsked(true)
        void onSubmit(to.replace(/\/+$/, ''))
      }}
    />
  )
}
