import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TagPlan } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { attempt, tellDone } from '#lib/feedback/toast.ts'
import { refreshBatches, undoBatch } from '../history/revert-change.ts'
import { PlanDialog } from '../links/plan-dialog.tsx'
import { PromptDialog } from '#lib/ui/prompt-dialog.tsx'

interface RenameTagProps {
  readonly agent: string
  /** Without `#`. */
  readonly from: string
  readonly onClose: () => void
}

export function RenameTag({ agent, from, onClose }: RenameTagProps) {
  const { t } = useTranslation()
  const [state, setState] = useState<'asking' | 'planning' | { to: string; plan: TagPlan }>('asking')
  const isAsked = useRef(false)
  const plan = async (typed: string) => {
    const to = typed.replace(/^#/, '')
    if (to === from) return onClose()
    const made = await attempt(client.tags.planRename({ agent, from, to }))
    if (made) setState({ to, plan: made.value })
    else onClose()
  }
  if (state === 'asking')
    return (
      <PromptDialog
        title={t('tags.rename', { name: from })}
        label={t('tags.newName')}
        initial={from}
        action={t('tags.look')}
        onClose={() => isAsked.current || onClose()}
        onSubmit={(to) => {
          isAsked.current = true
          setState('planning')
          void plan(to)
        }}
      />
    )
  if (state === 'planning') return null
  const { to, plan: planned } = state
  const rename = async () => {
    const done = await attempt(client.tags.rename({ agent, from, to, plan: planned.id }))
    onClose()
    if (!done) return
    const { tags, undo } = done.value
    void refreshBatches()
    tellDone(t('tags.renamed', { from, to, count: tags }), () => undoBatch(agent, undo), { look: 'plain' })
  }
  return (
    <PlanDialog
      plan={planned}
      title={t('tags.willRename', {
        from,
        to,
        count: planned.tags,
        notes: t('links.inNotes', { count: planned.notes }),
      })}
      hint={planned.joins ? t('tags.joins', { to }) : undefined}
      leftBehind={t('tags.leftBehind', { count: planned.left.length })}
      choices={[{ label: t('tags.doRename'), onChoose: rename }]}
      onClose={onClose}
    />
  )
}
