import { dailyLogDate } from '#workspace'

/** Maximum number of aliases: each weighs as much as the file name. */
const maxNames = 10

/**
 * Returns the searchable text of a note's path: path without extension, date of a daily log, and names.
 * @param names title and aliases
 */
export function pathText(path: string, names: readonly string[] = []): string {
  const name = path.replace(/\.(md|markdown|jsonl)$/i, '')
  const date = dailyLogDate(path)
  const others = names.filter((other) => !name.toLowerCase().endsWith(other.toLowerCase())).slice(0, maxNames)
  return [name, ...(date === undefined ? [] : [date]), ...others].join(' ')
}
