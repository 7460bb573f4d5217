import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { BlamedLine } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { useCauseName } from '#lib/diff-view/change-label.tsx'
import { formatShortDay } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'

/**
 * Returns a text for each line with its author and day, empty if the line above is from the same change, and a click
 * handler that opens the chat in which the line was written. Undefined while hidden or loading.
 */
export function useBlameMargin(agent: string, path: string, isShown: boolean) {
  const [, navigate] = useLocation()
  const causeName = useCauseName(agent)
  const { data: lines } = useQuery(api.history.blame.queryOptions({ input: isShown ? { agent, path } : skipToken }))
  return useMemo(() => {
    if (!lines) return undefined
    const formatNote = (line: BlamedLine) =>
      [causeName(line), formatShortDay(line.at), ...(line.sources ?? []).slice(0, 1)].join(' · ')
    return {
      notes: lines.map((line, index) => (lines[index - 1]?.commit === line.commit ? '' : formatNote(line))),
      onClick(line: number) {
        const { session, turn } = lines[line - 1] ?? {}
        if (session !== undefined) navigate(paths.chat(session, turn))
      },
    }
  }, [lines, causeName, navigate])
}
