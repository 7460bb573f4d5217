import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { FoundFile, UnreadFile } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'

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
