import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ErasureOutcome } from '#shared/contract/index.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { toggled } from '#lib/util/toggled.ts'

export function useForget(agent: string) {
  const [words, setWords] = useState('')
  const [lines, setLines] = useState<ReadonlySet<string>>(new Set())
  const [keptPaths, setKeptPaths] = useState<ReadonlySet<string>>(new Set())
  const [progress, setProgress] = useState<{ done: number; total: number }>()
  const [outcome, setOutcome] = useState<ErasureOutcome>()
  const query = useQuery({
    ...api.forget.find.queryOptions({ input: { agent, words } }),
    enabled: words !== '' && !progress && !outcome,
    retry: false,
    gcTime: 0,
  })
  const run = async () => {
    setProgress({ done: 0, total: 0 })
    const request = { agent, words, lines: [...lines], keep: [...keptPaths] }
    await runWithErrorToast(
      client.forget.run(request).then(async (steps) => {
        for await (const step of steps)
          if (step.type === 'done') setOutcome(step.outcome)
          else setProgress({ done: step.done, total: step.total })
      }),
    )
    setProgress(undefined)
    // Any cached data may contain the erased words.
    queryClient.removeQueries({ type: 'inactive' })
    await queryClient.invalidateQueries()
  }
  return {
    words,
    query,
    lines,
    keptPaths,
    progress,
    outcome,
    search: (next: string) => {
      setWords(next.trim())
      setLines(new Set())
      setKeptPaths(new Set())
      setOutcome(undefined)
    },
    toggleLine: (line: string) => setLines(toggled(lines, line)),
    toggleKeep: (path: string) => setKeptPaths(toggled(keptPaths, path)),
    run,
    stop: () => void runWithErrorToast(client.forget.stop({ agent })),
  }
}

export type ForgetState = ReturnType<typeof useForget>
