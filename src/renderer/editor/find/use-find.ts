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
  readonly done: number
  readonly total: number
  /** Id of the completed search; undefined while it runs. */
  readonly search: string | undefined
  readonly error: unknown
}

const nothing: FindResult = { files: [], unread: [], count: 0, done: 0, total: 0, search: undefined, error: undefined }

/** Searches the files and updates the result while it runs. @param round change it to search again */
export function useFind(agent: string, { text, isPattern, matchCase }: FindOptions, round: number): FindResult {
  const key = JSON.stringify([agent, text, isPattern, matchCase, round])
  const [told, setTold] = useState({ key: '', found: nothing })
  useEffect(() => {
    const [agent, text, isPattern, matchCase] = JSON.parse(key) as [string, string, boolean, boolean]
    if (text === '') return undefined
    const stop = new AbortController()
    void follow({ agent, text, isPattern, matchCase }, stop.signal, (found) => setTold({ key, found }))
    return () => stop.abort()
  }, [key])
  return told.key === key ? told.found : nothing
}

async function follow(
  input: FindOptions & { agent: string },
  signal: AbortSignal,
  tell: (found: FindResult) => void,
): Promise<void> {
  let files: readonly FoundFile[] = []
  let unread: readonly UnreadFile[] = []
  let [count, done, total] = [0, 0, 0]
  try {
    for await (const event of await client.find.run(input, { signal })) {
      if (signal.aborted) return
      if (event.type === 'found') {
        files = files.concat(event.found)
        unread = unread.concat(event.unread)
        count += event.found.reduce((sum, file) => sum + file.count, 0)
        done = event.done
        total = event.total
      }
      const search = event.type === 'done' ? event.search : undefined
      tell({ files, unread, count, done, total, search, error: undefined })
    }
  } catch (error) {
    // A new search replaces this one; its error is irrelevant.
    if (!signal.aborted) tell({ files, unread, count, done, total, search: undefined, error })
  }
}
