import { useEffect, useState } from 'react'
import type { FoundFile, UnreadFile } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'

export interface FindOptions {
  readonly text: string
  readonly isPattern: boolean
  readonly matchCase: boolean
}

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

const empty: FindResult = { files: [], unread: [], count: 0, done: 0, total: 0, searchId: undefined, error: undefined }

/** Searches the files and updates the result while it runs. @param revision a new value repeats the search */
export function useFind(agent: string, { text, isPattern, matchCase }: FindOptions, revision: number): FindResult {
  const key = JSON.stringify([agent, text, isPattern, matchCase, revision])
  const [latest, setLatest] = useState({ key: '', result: empty })
  useEffect(() => {
    const [agent, text, isPattern, matchCase] = JSON.parse(key) as [string, string, boolean, boolean]
    if (text === '') return undefined
    const controller = new AbortController()
    const { signal } = controller
    const run = async () => {
      let result = empty
      const show = (change: Partial<FindResult>) => {
        result = { ...result, ...change }
        setLatest({ key, result })
      }
      try {
        for await (const event of await client.find.run({ agent, text, isPattern, matchCase }, { signal })) {
          if (signal.aborted) return
          if (event.type === 'done') show({ searchId: event.search })
          else
            show({
              files: result.files.concat(event.found),
              unread: result.unread.concat(event.unread),
              count: event.found.reduce((sum, file) => sum + file.count, result.count),
              done: event.done,
              total: event.total,
            })
        }
      } catch (error) {
        // The error of an aborted search is irrelevant: a new search has replaced it.
        if (!signal.aborted) show({ searchId: undefined, error })
      }
    }
    void run()
    return () => controller.abort()
  }, [key])
  return latest.key === key ? latest.result : empty
}
