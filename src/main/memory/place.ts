/** What a file's name says, as index terms: its words, and for a dated file the date in the ways people write it. */
import { dailyLogDate } from '../workspace/index.ts'
import { indexText } from './terms.ts'

export function placeTerms(path: string): string {
  const name = path.replace(/\.(md|markdown|jsonl)$/i, '')
  const date = dailyLogDate(path)
  const { words, chars, pairs } = indexText(date === undefined ? name : `${name} ${dateWords(date)}`)
  return `${words}\n${chars}\n${pairs}`
}

/** `2023-05-08` → `May 2023`, `2023年5月8日`, for questions that name a time. */
function dateWords(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-')
  const name = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`))
  return `${name} ${year} ${Number(month)}月${Number(day)}日`
}
