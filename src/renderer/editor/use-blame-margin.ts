import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { BlamedLine } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { useCauseName } from '#lib/diff-view/change-label.tsx'
import { formatShortDay } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'

/**
 * Returns the author of each line and a click handler that opens the chat of that change. Undefined while hidden or
 * loading.
 */
export function useBlameMargin(agent: string, path: string, isShown: boolean) {
  const [, navigate] = useLocation()
  const nameOf = useCauseName(agent)
  const { data: lines } = useQuery(api.history.blame.queryOptions({ input: isShown ? { agent, path } : skipToken }))
  return useMemo(() => {
    if (!lines) return undefined
    const note = (line: BlamedLine) =>
      [nameOf(line), formatShortDay(line.at), ...(line.sources ?? []).slice(0, 1)].join(' · ')
    return {
      notes: lines.map((blamed, index) => (lines[index - 1]?.commit === blamed.commit ? '' : note(blamed))),
      onClick(line: number) {
        const { session, turn } = lines[line - 1] ?? {}
        if (session !== undefined) navigate(paths.chat(session, turn))
      },
    }
  }, [lines, nameOf, navigate])
}
