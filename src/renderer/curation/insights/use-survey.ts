/**
 * Goes through all of the memory, when the view is opened and whenever it is asked to again. What has changed since only
 * marks it: going through everything with every word of a conversation would be no help to anybody.
 */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CountedSurvey, Survey } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'

interface Progress {
  readonly done: number
  readonly total: number
}

interface SurveyState {
  /** Without `duplicates` while they are still looked for. */
  readonly survey: (CountedSurvey & Partial<Survey>) | undefined
  /** Files read of those there are; undefined when nothing is under way. */
  readonly progress: Progress | undefined
  readonly error: unknown
  /** Files or conversations are others since. */
  readonly isOutdated: boolean
  readonly again: () => void
}

export function useSurvey(agent: string): SurveyState {
  const [progress, setProgress] = useState<Progress>({ done: 0, total: 0 })
  const [counted, setCounted] = useState<CountedSurvey>()
  const query = useQuery({
    queryKey: api.survey.run.key({ input: { agent } }),
    async queryFn({ signal }) {
      let survey: Survey | undefined
      setProgress({ done: 0, total: 0 })
      setCounted(undefined)
      for await (const step of await client.survey.run({ agent }, { signal })) {
        if (step.type === 'progress') setProgress(step)
        else if (step.type === 'counted') setCounted(step.survey)
        else survey = step.survey
      }
      if (!survey) throw new Error('the survey ended before it was done')
      return survey
    },
    refetchOnMount: 'always',
    gcTime: 0,
  })
  return {
    survey: query.isFetching ? (counted ?? query.data) : query.data,
    progress: query.isFetching ? progress : undefined,
    error: query.isFetching ? undefined : query.error,
    isOutdated: query.data !== undefined && query.isStale && !query.isFetching,
    again: () => void query.refetch(),
  }
}
