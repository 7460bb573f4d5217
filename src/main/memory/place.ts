/** What a file's name says, as index terms: its words, and for a dated file the date in the ways people write it. */
import { dailyLogDate } from '../workspace/index.ts'
import { indexText } from './terms.ts'

export function placeTerms(path: string): string {
  const name = path.replace(/\.(md|markdown|jsonl)$/i, '')
  const date = dailyLogDate(path)
  const { words, chars, pairs } = indexText(date === undefined ? name : `${name} ${date}`)
  return `${words}\n${chars}\n${pairs}`
}
