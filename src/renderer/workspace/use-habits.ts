/** How the notes of an agent's folder are kept. */
import { useQuery } from '@tanstack/react-query'
import { dailyNotePath, usualDailyNotes } from '../../shared/daily-notes.ts'
import { api } from '../api/index.ts'

export function useHabits(agent: string) {
  return useQuery(api.habits.of.queryOptions({ input: { agent } })).data?.kept
}

/** @returns where the note of a day (`YYYY-MM-DD`) is made */
export function useDailyPath(agent: string): (date: string) => string {
  const daily = useHabits(agent)?.daily ?? usualDailyNotes
  return (date) => dailyNotePath(daily, date)
}
