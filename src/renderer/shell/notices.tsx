import { useMutation, useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { api, client, queryClient } from '#lib/api/client.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { ImportStatus, RecoveredChange } from '#shared/contract/index.ts'
import { formatBatchNames, undoBatchWithToast } from '#lib/feedback/change-toast.ts'
import { paths } from '#lib/router/paths.ts'
import { runWithErrorToast, showSticky, showSuccess } from '#lib/feedback/toast.ts'
import { explainCode } from '#lib/feedback/explain.ts'
import { isRenamedInstruction, refetchImports, showImportUndone } from '../settings/import/past-imports.tsx'

/** Smaller moves finish before the notice could be read. */
const minNotes = 64

export function MoveNotice({ agent }: { agent: string }) {
  const moving = useQuery(api.links.moving.queryOptions({ input: { agent } })).data
  const cancel = useMutation(api.links.cancelMove.mutationOptions())
  if (!moving || moving.total < minNotes) return null
  const { from, to, done, total, isCancelled } = moving
  const title = t(isCancelled ? 'links.takingBack' : 'links.moving')
  return (
    <ProgressNotice
      title={title}
      subject={from === '' ? undefined : `${from} → ${to}`}
      done={done}
      total={total}
      canCancel={!isCancelled && done < total}
      onCancel={() => cancel.mutate({ agent })}
      data-testid="move-running"
    />
  )
}

const pollMs = 700

export function ImportNotice({ agent }: { agent: string }) {
  const status = useQuery(
    api.import.standing.queryOptions({
      input: { agent },
      refetchInterval: ({ state }) => (state.data?.running ? pollMs : false),
    }),
  )
  const cancel = useMutation(api.import.cancel.mutationOptions({ onSuccess: () => status.refetch() }))
  const ended = status.data?.ended
  useEffect(() => {
    for (const result of ended ?? []) {
      if (reported.has(result.id)) continue
      reported.add(result.id)
      void runWithErrorToast(client.import.seen({ agent, id: result.id }))
      showEnd(agent, result)
    }
  }, [agent, ended])
  const running = status.data?.running
  if (!running) return null
  return (
    <ProgressNotice
      title={t('import.running')}
      subject={running.path}
      done={running.done}
      total={running.total}
      canCancel={!cancel.isPending}
      onCancel={() => cancel.mutate({ agent })}
      data-testid="import-running"
    />
  )
}

interface ProgressNoticeProps {
  readonly title: string
  /** Path of the import, or the old and the new path of the move. */
  readonly subject: string | undefined
  readonly done: number
  readonly total: number
  readonly canCancel: boolean
  readonly onCancel: () => void
  readonly 'data-testid': string
}

function ProgressNotice({ title, subject, done, total, canCancel, onCancel, ...props }: ProgressNoticeProps) {
  return (
    <section
      aria-label={title}
      className="fixed right-4 bottom-10 z-40 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 rounded-md border border-line bg-raised px-4 py-3 shadow-lg"
      {...props}
    >
      <p className="font-medium">{title}</p>
      {subject !== undefined && <p className="font-mono text-[12px] break-all text-muted">{subject}</p>}
      <div className="tabular flex items-center gap-3">
        <progress
          max={Math.max(1, total)}
          value={done}
          aria-label={title}
          className="h-1.5 min-w-0 flex-1 accent-accent"
        />
        {t('import.progress', { done: formatNumber(done), total: formatNumber(total) })}
        <Button disabled={!canCancel} onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </section>
  )
}

/** Ids of imports already reported: a refetch may still contain an import that was marked as seen. */
const reported = new Set<string>()

function showEnd(agent: string, { change, made, isCancelled, failure }: ImportStatus['ended'][number]) {
  void refetchImports()
  if (failure) toast.error(explainCode(failure.code, failure.data))
  else if (made.length === 0) toast(t('import.nothingDone'))
  if (made.length === 0) return
  const result = t(isCancelled ? 'import.cancelled' : 'import.done', { count: made.length })
  const text = made.some(isRenamedInstruction) ? `${result} ${t('import.instructions')}` : result
  if (change === null) toast.success(text)
  else showSuccess(text, async () => showImportUndone(await client.history.revert({ agent, change })))
}

export function BackgroundChangeNotice({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const ended = useQuery(api.health.ended.queryOptions({ input: { agent } })).data
  useEffect(() => {
    // Unmounting also dismisses the toasts, which must not mark the changes as seen.
    let isShown = true
    for (const recovered of ended ?? []) {
      const { id, kind, notes, change } = recovered
      showSticky(notes === 0 ? t('ended.moveAlone') : t(`ended.${kind}`, { count: notes }), {
        id,
        description: describeChange(recovered),
        undo: change === null ? undefined : () => undoBatchWithToast(agent, change, recovered),
        link: { label: t('nav.changes'), go: () => navigate(paths.changes()) },
        onDismiss: () => void (isShown && runWithErrorToast(markSeen(agent, id))),
      })
    }
    // Runs when another window has marked the changes as seen, or another agent is shown.
    return () => {
      isShown = false
      for (const { id } of ended ?? []) toast.dismiss(id)
    }
  }, [agent, ended, navigate, t])
  return null
}

function describeChange(change: RecoveredChange): string {
  const { from, to } = formatBatchNames(change)
  return [
    ...(change.from === '' ? [] : [`${from} → ${to}`]),
    ...(change.left > 0 ? [t('changes.replacedLeft', { count: change.left })] : []),
  ].join(' · ')
}

async function markSeen(agent: string, id: string): Promise<void> {
  await client.health.endedSeen({ agent, id })
  await queryClient.invalidateQueries({ queryKey: api.health.ended.key() })
}
