import { dailyLogDate } from '#workspace'

/** Other names that count as much as its own. */
const maxNames = 10

/** @param names what the note calls itself besides */
export function placeText(path: string, names: readonly string[] = []): string {
  const name = path.replace(/\.(md|markdown|jsonl)$/i, '')
  const date = dailyLogDate(path)
  const others = names.filter((other) => !name.toLowerCase().endsWith(other.toLowerCase())).slice(0, maxNames)
  return [name, ...(date === undefined ? [] : [date]), ...others].join(' ')
}
