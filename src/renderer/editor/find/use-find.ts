import { useEffect, useState } from 'react'
import type { FoundFile, UnreadFile } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'

export interface FindOptions {
  readonly text: string
  readonly isPattern: boolean
  readonly matchCase: boolean
}

export interface Found {
  readonly files: readonly FoundFile[]
  /** Could not be read: nobody knows whether they have it. */
  readonly unread: readonly UnreadFile[]
  /** Matches in all of them, listed or not. */
  readonly count: number
  /** Files looked at, of those there are. */
  readonly done: number
  readonly total: number
  /** Names what was found, once all of it is; undefined before. */
  readonly search: string | undefined
  readonly error: unknown
}

const nothing: Found = { files: [], unread: [], count: 0, done: 0, total: 0, search: undefined, error: undefined }

/** @param round another number looks once more */
export function useFind(agent: string, { text, isPattern, matchCase }: FindOptions, round: number): Found {
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
  tell: (found: Found) => void,
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
    // Whoever looks for something else is told of that.
    if (!signal.aborted) tell({ files, unread, count, done, total, search: undefined, error })
  }
}
