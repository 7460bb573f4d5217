import { useState } from 'react'
import { t } from 'i18next'
import type { MovePlan } from '#shared/contract/index.ts'
import { Patch } from '#lib/diff-view/patch.tsx'
import { Button } from '#lib/ui/button.tsx'
import { Modal, ModalTitle } from '#lib/ui/dialog.tsx'

const initiallyOpenFiles = 3

interface PlanDialogProps {
  readonly plan: Pick<MovePlan, 'notes' | 'files' | 'left'>
  readonly title: string
  readonly hint?: string | undefined
  /** Introduces the list of places that stay unchanged. */
  readonly skippedTitle: string
  /** The last choice is the default button. */
  readonly choices: readonly { readonly label: string; readonly onChoose: () => Promise<void> }[]
  readonly onClose: () => void
}

export function PlanDialog({ plan, title, hint, skippedTitle, choices, onClose }: PlanDialogProps) {
  const [isBusy, setIsBusy] = useState(false)
  const unlistedNotes = plan.notes - plan.files.length
  return (
    <Modal
      className="top-[10vh] left-1/2 flex max-h-[78vh] w-[min(680px,94vw)] -translate-x-1/2 flex-col gap-3 rounded-lg border border-line bg-raised p-4 shadow-float"
      onClose={onClose}
    >
      <ModalTitle>{title}</ModalTitle>
      {hint !== undefined && (
        <p role="note" className="text-[12px] text-muted">
          {hint}
        </p>
      )}
      {plan.left.length > 0 && (
        <p role="note" className="text-[12px] text-muted">
          {skippedTitle}{' '}
          {plan.left
            .map(({ path, line, target, isProtected, isUnread }) => {
              const place = target === '' ? path : `${path}:${line}`
              return isUnread ? t('links.unread', { place }) : isProtected ? t('links.protected', { place }) : place
            })
            .join(', ')}
        </p>
      )}
      <ul className="flex min-h-0 flex-col gap-2 overflow-y-auto" tabIndex={0} aria-label={t('links.changes')}>
        {plan.files.map(({ path, count, patch }, index) => (
          <li key={path} className="rounded-md border border-line">
            <details open={index < initiallyOpenFiles}>
              <summary className="flex cursor-default items-center gap-2 px-2.5 py-1.5 font-mono text-[12px]">
                <span className="min-w-0 flex-1 break-all">{path}</span>
                <span className="tabular text-muted">{count}</span>
              </summary>
              <Patch patch={patch} isSmall />
            </details>
          </li>
        ))}
        {unlistedNotes > 0 && <li className="text-muted">{t('links.moreNotes', { count: unlistedNotes })}</li>}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        {choices.map(({ label, onChoose }, index) => (
          <Button
            key={label}
            {...(index === choices.length - 1 ? { look: 'primary' as const, autoFocus: true } : {})}
            disabled={isBusy}
            onClick={() => {
              setIsBusy(true)
              void onChoose()
            }}
          >
            {label}
          </Button>
        ))}
      </div>
    </Modal>
  )
}
