import { useQuery } from '@tanstack/react-query'
import { dailyNotePath, defaultDailyNotes } from '#shared/markdown/daily-notes.ts'
import { longTermName } from '#shared/util/agent-files.ts'
import { api } from '../api/client.ts'

/** Returns the conventions of the agent's vault, undefined while loading. */
export function useVaultSettings(agent: string) {
  return useQuery(api.habits.of.queryOptions({ input: { agent } })).data?.kept
}

/** Returns a function from a date (`YYYY-MM-DD`) to the path of its daily note. */
export function useDailyPath(agent: string): (date: string) => string {
  const daily = useVaultSettings(agent)?.daily ?? defaultDailyNotes
  return (date) => dailyNotePath(daily, date)
}

/** Returns the folder of new notes with a trailing slash, or an empty string for the root. */
export function useNewNoteFolder(agent: string): string {
  const vault = useVaultSettings(agent)
  // Commonplace's own folders use `memory/`; a vault uses the folder set in its program.
  if (!vault || (vault.own === '' && (vault.kind === 'plain' || vault.kind === 'openclaw'))) return 'memory/'
  return vault.newNotes === 'beside' || vault.newNotes.path === '' ? '' : `${vault.newNotes.path}/`
}

export function useLongTermPath(agent: string): string {
  const folder = useVaultSettings(agent)?.own ?? ''
  return folder === '' ? longTermName : `${folder}/${longTermName}`
}
