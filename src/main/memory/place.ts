/** What a file's name says, as text: its words, and for a dated file the date in the way that dates are understood. */
import { dailyLogDate } from '../workspace/index.ts'

export function placeText(path: string): string {
  const name = path.replace(/\.(md|markdown|jsonl)$/i, '')
  const date = dailyLogDate(path)
  return date === undefined ? name : `${name} ${date}`
}
