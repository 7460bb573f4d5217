import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { FoundFile, UnreadFile, LeftFile } from '#shared/contract/index.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { t } from 'i18next'
import { toast } from 'sonner'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'

export interface FindResult {
  readonly files: readonly FoundFile[]
  readonly unread: readonly UnreadFile[]
  /** Matches in all files, including those not listed. */
  readonly count: number
  /** Number of searched files; `total` is the number to search. */
  readonly done: number
  readonly total: number
  /** Id of the completed search; undefined while it runs. */
  readonly searchId: string | undefined
  readonly error: unknown
}

interface FindInput {
  readonly agent: string
  readonly text: string
  readonly isPattern: boolean
  readonly matchCase: boolean
}

/** Searches the files and updates the result while it runs. An empty text finds nothing. */
export function useFind(input: FindInput): FindResult {
  const search = api.find.run.experimental_streamedOptions({ input: input.text === '' ? skipToken : input, gcTime: 0 })
  const { data: events = [], error } = useQuery(search)
  return useMemo(() => {
    const steps = events.filter((event) => event.type === 'found')
    const files = steps.flatMap(({ found }) => found)
    return {
      files,
      unread: steps.flatMap(({ unread }) => unread),
      count: files.reduce((sum, file) => sum + file.count, 0),
      done: steps.at(-1)?.done ?? 0,
      total: steps.at(-1)?.total ?? 0,
      searchId: events.find((event) => event.type === 'done')?.search,
      error,
    }
  }, [events, error])
}

interface Progress {
  readonly done: number
  readonly total: number
  /** Undefined for an undo: it cannot be stopped. */
  readonly searchId: string | undefined
}

/** Replaces matches of a search. Each replacement or undo repeats the search, since files may have changed. */
export function useReplace(agent: string) {
  const [progress, setProgress] = useState<Progress>()
  const [skipped, setSkipped] = useState<readonly LeftFile[]>([])

  /** Shows the progress of `work`, and then the files that it has skipped. */
  async function track<T extends { left: LeftFile[] } | undefined>(work: Promise<T>, searchId?: string): Promise<T> {
    setProgress({ done: 0, total: 0, searchId })
    setSkipped([])
    try {
      const outcome = await work
      setSkipped(outcome?.left ?? [])
      return outcome
    } finally {
      setProgress(undefined)
      void queryClient.resetQueries({ queryKey: api.find.run.key() })
    }
  }

  async function runReplace(searchId: string, replacement: string, paths?: readonly string[]) {
    const input = { agent, search: searchId, replacement, paths: paths && [...paths] }
    for await (const event of await client.find.replace(input)) {
      if (event.type === 'done') return event
      setProgress({ done: event.done, total: event.total, searchId })
    }
    return undefined
  }

  async function undoReplace(change: number) {
    const outcome = await track(client.history.revert({ agent, change }))
    toast(t('find.takenBack', { count: outcome.notes }))
  }

  async function replace(searchId: string, replacement: string, paths?: readonly string[]) {
    const result = await runWithErrorToast(track(runReplace(searchId, replacement, paths), searchId))
    const outcome = result?.value
    if (!outcome) return
    const { count, files, change } = outcome
    const message = outcome.isStopped
      ? t('find.stopped')
      : t('find.replaced', { count, files: t('find.inFiles', { count: files }) })
    if (change === null) toast(message)
    else showSuccess(message, () => undoReplace(change))
  }

  return {
    progress,
    skipped,
    /** @param paths files to change; all matching files if omitted */
    replace: (searchId: string, replacement: string, paths?: readonly string[]) =>
      void replace(searchId, replacement, paths),
    stop() {
      if (progress?.searchId !== undefined)
        void runWithErrorToast(client.find.stop({ agent, search: progress.searchId }))
    },
  }
}
