/** Gives a note or a folder another name or place; where others link to it, it is asked whether their links go along. */
import { useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { MovePlan } from '../../shared/contract/index.ts'
import { client } from '../api/index.ts'
import { attempt, tellDone } from '../feedback/index.ts'
import { Patch } from '../history/patch.tsx'
import { Button } from '../ui/button.tsx'
import { Modal, ModalTitle } from '../ui/modal.tsx'
import { PromptDialog } from '../ui/prompt-dialog.tsx'

/** Notes whose changes are seen without asking. */
const openAtFirst = 3

interface MoveDialogProps {
  readonly agent: string
  /** A file, or a folder without `/` at its end. */
  readonly from: string
  readonly onMoved: (to: string) => void
  readonly onClose: () => void
}

export function MoveDialog({ agent, from, onMoved, onClose }: MoveDialogProps) {
  const { t } = useTranslation()
  const [planned, setPlanned] = useState<{ to: string; plan: MovePlan }>()
  const move = async (to: string, plan: MovePlan | undefined) => {
    const done = await attempt(client.links.move({ agent, from, to, ...(plan ? { plan: plan.id } : {}) }))
    onClose()
    if (!done) return
    const { links, notes, undo } = done.value
    const told = links > 0 ? t('links.movedWith', { path: to, count: links, notes }) : t('file.moved', { path: to })
    tellDone(told, () => client.links.undoMove({ agent, undo }), { look: 'plain' })
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
        onUpdate={() => move(planned.to, planned.plan)}
        onOnlyMove={() => move(planned.to, undefined)}
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

interface PlanDialogProps {
  readonly plan: MovePlan
  readonly onUpdate: () => Promise<void>
  readonly onOnlyMove: () => Promise<void>
  readonly onClose: () => void
}

function PlanDialog({ plan, onUpdate, onOnlyMove, onClose }: PlanDialogProps) {
  const { t } = useTranslation()
  const [isBusy, setIsBusy] = useState(false)
  const doing = (work: () => Promise<void>) => () => {
    setIsBusy(true)
    void work()
  }
  const rest = plan.notes - plan.files.length
  return (
    <Modal
      className="top-[10vh] left-1/2 flex max-h-[78vh] w-[min(680px,94vw)] -translate-x-1/2 flex-col gap-3 rounded-lg border border-line bg-raised p-4 shadow-float"
      onClose={onClose}
    >
      <ModalTitle>
        {t('links.willUpdate', { count: plan.links, notes: t('links.inNotes', { count: plan.notes }) })}
      </ModalTitle>
      {plan.left.length > 0 && (
        <p role="note" className="text-[12px] text-muted">
          {t('links.leftBehind', { count: plan.left.length })}{' '}
          {plan.left.map(({ path, line }) => `${path}:${line}`).join(', ')}
        </p>
      )}
      <ul className="flex min-h-0 flex-col gap-2 overflow-y-auto" tabIndex={0} aria-label={t('links.changes')}>
        {plan.files.map(({ path, count, patch }, at) => (
          <FileChanges key={path} path={path} count={count} isOpen={at < openAtFirst}>
            <Patch patch={patch} isSmall />
          </FileChanges>
        ))}
        {rest > 0 && <li className="text-muted">{t('links.moreNotes', { count: rest })}</li>}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button disabled={isBusy} onClick={doing(onOnlyMove)}>
          {t('links.onlyMove')}
        </Button>
        <Button look="primary" autoFocus disabled={isBusy} onClick={doing(onUpdate)}>
          {t('links.update')}
        </Button>
      </div>
    </Modal>
  )
}

interface FileChangesProps {
  readonly path: string
  readonly count: number
  /** At first; then it is the reader's. */
  readonly isOpen: boolean
  readonly children: ReactNode
}

function FileChanges({ path, count, isOpen, children }: FileChangesProps) {
  return (
    <li className="rounded-md border border-line">
      <details open={isOpen}>
        <summary className="flex cursor-default items-center gap-2 px-2.5 py-1.5 font-mono text-[12px]">
          <span className="min-w-0 flex-1 break-all">{path}</span>
          <span className="tabular text-muted">{count}</span>
        </summary>
        {children}
      </details>
    </li>
  )
}
