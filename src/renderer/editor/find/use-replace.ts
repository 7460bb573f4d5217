import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import type { LeftFile, ReplaceEvent } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'
import { undoBatch } from '../history/revert-change.ts'

interface Progress {
  readonly done: number
  readonly total: number
}

interface Replacing {
  readonly progress: Progress | undefined
  readonly skipped: readonly LeftFile[]
  /** @param paths files to change; all matching files if omitted */
  readonly replace: (search: string, replacement: string, paths?: readonly string[]) => void
  readonly stop: () => void
}

/** @param onEnd called when files have changed */
export function useReplace(agent: string, onEnd: () => void): Replacing {
  const { t } = useTranslation()
  const [running, setRunning] = useState<Progress & { search?: string }>()
  const [skipped, setLeft] = useState<readonly LeftFile[]>([])

  async function follow(events: AsyncIterable<ReplaceEvent>, search: string) {
    let end: Extract<ReplaceEvent, { type: 'done' }> | undefined
    for await (const event of events) {
      if (event.type === 'done') end = event
      else setRunning({ done: event.done, total: event.total, search })
    }
    return end
  }

  async function work(begin: () => Promise<AsyncIterable<ReplaceEvent>>, search: string) {
    setRunning({ done: 0, total: 0, search })
    setLeft([])
    try {
      const end = await follow(await begin(), search)
      setLeft(end?.left ?? [])
      return end
    } finally {
      setRunning(undefined)
      onEnd()
    }
  }

  async function takeBack(undo: string) {
    setRunning({ done: 0, total: 0 })
    setLeft([])
    try {
      const end = await undoBatch(agent, undo)
      setLeft(end.left)
      toast(t('find.takenBack', { count: end.notes }))
    } finally {
      setRunning(undefined)
      onEnd()
    }
  }

  async function replace(search: string, replacement: string, paths?: readonly string[]) {
    const some = paths ? { paths: [...paths] } : {}
    const made = await runWithErrorToast(
      work(() => client.find.replace({ agent, search, replacement, ...some }), search),
    )
    const end = made?.value
    if (!end) return
    const { count, files, undo } = end
    const told = end.isStopped
      ? t('find.stopped')
      : t('find.replaced', { count, files: t('find.inFiles', { count: files }) })
    if (undo === null) toast(told)
    else showSuccess(told, () => takeBack(undo))
  }

  return {
    progress: running,
    skipped,
    replace: (search, replacement, paths) => void replace(search, replacement, paths),
    stop: () => {
      if (running?.search !== undefined) void runWithErrorToast(client.find.stop({ agent, search: running.search }))
    },
  }
}
