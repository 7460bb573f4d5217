import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ErasureOutcome } from '#shared/contract/index.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'

export function useErasure(agent: string) {
  const [words, setWords] = useState('')
  const [lines, setLines] = useState<ReadonlySet<string>>(new Set())
  const [keep, setKeep] = useState<ReadonlySet<string>>(new Set())
  const [running, setRunning] = useState<{ done: number; total: number }>()
  const [outcome, setOutcome] = useState<ErasureOutcome>()
  const query = useQuery({
    ...api.forget.find.queryOptions({ input: { agent, words } }),
    enabled: words !== '' && !running && !outcome,
    retry: false,
    gcTime: 0,
  })
  const run = async () => {
    setRunning({ done: 0, total: 0 })
    const request = { agent, words, lines: [...lines], keep: [...keep] }
    await runWithErrorToast(
      client.forget.run(request).then(async (steps) => {
        for await (const step of steps)
          if (step.type === 'done') setOutcome(step.outcome)
          else setRunning({ done: step.done, total: step.total })
      }),
    )
    setRunning(undefined)
    // Any cached data may contain the erased words.
    queryClient.removeQueries({ type: 'inactive' })
    await queryClient.invalidateQueries()
  }
  return {
    words,
    query,
    lines,
    keep,
    running,
    outcome,
    look: (next: string) => {
      setWords(next.trim())
      setLines(new Set())
      setKeep(new Set())
      setOutcome(undefined)
    },
    toggleLine: (line: string) => setLines(toggled(lines, line)),
    toggleKeep: (path: string) => setKeep(toggled(keep, path)),
    run,
    stop: () => void runWithErrorToast(client.forget.stop({ agent })),
  }
}

export type ForgetState = ReturnType<typeof useErasure>

function toggled(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(item)) next.add(item)
  return next
}
