import { useState } from 'react'
import { t } from 'i18next'
import { toast } from 'sonner'
import type { LeftFile, ReplaceEvent } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'
import { undoBatch } from '../history/revert-change.ts'

interface Progress {
  readonly done: number
  readonly total: number
}

interface ReplaceState {
  readonly progress: Progress | undefined
  readonly skipped: readonly LeftFile[]
  /** @param paths files to change; all matching files if omitted */
  readonly replace: (searchId: string, replacement: string, paths?: readonly string[]) => void
  readonly stop: () => void
}

/** @param onEnd called after each replacement or undo, since files may have changed */
export function useReplace(agent: string, onEnd: () => void): ReplaceState {
  const [progress, setProgress] = useState<Progress & { searchId?: string }>()
  const [skipped, setSkipped] = useState<readonly LeftFile[]>([])

  async function followEvents(events: AsyncIterable<ReplaceEvent>, searchId: string) {
    let outcome: Extract<ReplaceEvent, { type: 'done' }> | undefined
    for await (const event of events) {
      if (event.type === 'done') outcome = event
      else setProgress({ done: event.done, total: event.total, searchId })
    }
    return outcome
  }

  async function runReplace(start: () => Promise<AsyncIterable<ReplaceEvent>>, searchId: string) {
    setProgress({ done: 0, total: 0, searchId })
    setSkipped([])
    try {
      const outcome = await followEvents(await start(), searchId)
      setSkipped(outcome?.left ?? [])
      return outcome
    } finally {
      setProgress(undefined)
      onEnd()
    }
  }

  async function undoReplace(batchId: string) {
    setProgress({ done: 0, total: 0 })
    setSkipped([])
    try {
      const outcome = await undoBatch(agent, batchId)
      setSkipped(outcome.left)
      toast(t('find.takenBack', { count: outcome.notes }))
    } finally {
      setProgress(undefined)
      onEnd()
    }
  }

  async function replace(searchId: string, replacement: string, paths?: readonly string[]) {
    const pathFilter = paths ? { paths: [...paths] } : {}
    const result = await runWithErrorToast(
      runReplace(() => client.find.replace({ agent, search: searchId, replacement, ...pathFilter }), searchId),
    )
    const outcome = result?.value
    if (!outcome) return
    const { count, files, undo: batchId } = outcome
    const message = outcome.isStopped
      ? t('find.stopped')
      : t('find.replaced', { count, files: t('find.inFiles', { count: files }) })
    if (batchId === null) toast(message)
    else showSuccess(message, () => undoReplace(batchId))
  }

  return {
    progress,
    skipped,
    replace: (searchId, replacement, paths) => void replace(searchId, replacement, paths),
    stop: () => {
      if (progress?.searchId !== undefined)
        void runWithErrorToast(client.find.stop({ agent, search: progress.searchId }))
    },
  }
}
