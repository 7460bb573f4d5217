/** Goes through all of the memory, once and whenever it is asked to again; leaving the view ends it. */
import { useEffect, useRef, useState } from 'react'
import type { Survey } from '../../shared/contract/index.ts'
import { client } from '../api/index.ts'

interface SurveyState {
  readonly survey: Survey | undefined
  /** Files read of those there are; undefined when nothing is under way. */
  readonly progress: { readonly done: number; readonly total: number } | undefined
  readonly error: unknown
}

const nothing: SurveyState = { survey: undefined, progress: undefined, error: undefined }

export function useSurvey(agent: string): SurveyState & { readonly again: () => void } {
  const [state, setState] = useState(nothing)
  const stop = useRef<() => void>(undefined)
  useEffect(() => {
    stop.current = follow(agent, setState)
    return () => stop.current?.()
  }, [agent])
  const again = () => {
    stop.current?.()
    stop.current = follow(agent, setState)
  }
  return { ...state, again }
}

/** @returns what ends it */
function follow(agent: string, tell: (change: (before: SurveyState) => SurveyState) => void): () => void {
  const stop = new AbortController()
  const run = async () => {
    tell(({ survey }) => ({ survey, progress: { done: 0, total: 0 }, error: undefined }))
    try {
      for await (const step of await client.survey.run({ agent }, { signal: stop.signal })) {
        if (step.type === 'progress') tell(({ survey }) => ({ survey, progress: step, error: undefined }))
        else tell(() => ({ survey: step.survey, progress: undefined, error: undefined }))
      }
    } catch (error) {
      if (!stop.signal.aborted) tell(({ survey }) => ({ survey, progress: undefined, error }))
    }
  }
  void run()
  return () => stop.abort()
}
