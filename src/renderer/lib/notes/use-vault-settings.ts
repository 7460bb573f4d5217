import { useQuery } from '@tanstack/react-query'
import { dailyNotePath, usualDailyNotes } from '#shared/markdown/daily-notes.ts'
import { longTermName } from '#shared/util/own-files.ts'
import { api } from '../api/client.ts'

export function useHabits(agent: string) {
  return useQuery(api.habits.of.queryOptions({ input: { agent } })).data?.kept
}

/** @returns where the note of a day (`YYYY-MM-DD`) is made */
export function useDailyPath(agent: string): (date: string) => string {
  const daily = useHabits(agent)?.daily ?? usualDailyNotes
  return (date) => dailyNotePath(daily, date)
}

/** @returns where a new note goes that nothing links to, with a slash at its end; empty for the top */
export function useNewNoteFolder(agent: string): string {
  const habits = useHabits(agent)
  // A memory of ours has its notes there; in a vault they go where its program puts them.
  if (!habits || (habits.own === '' && (habits.kind === 'plain' || habits.kind === 'openclaw'))) return 'memory/'
  return habits.newNotes === 'beside' || habits.newNotes.path === '' ? '' : `${habits.newNotes.path}/`
}

/** @returns where what is known for long lies */
export function useLongTermPath(agent: string): string {
  const own = useHabits(agent)?.own ?? ''
  return own === '' ? longTermName : `${own}/${longTermName}`
}
