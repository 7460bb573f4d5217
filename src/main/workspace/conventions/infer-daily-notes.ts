import { dailyNoteDate, type DailyNotes } from '#shared/markdown/daily-notes.ts'

const minDays = 3

const formats = ['YYYY-MM-DD', 'YYYY_MM_DD', 'YYYYMMDD', 'DD-MM-YYYY', 'YYYY.MM.DD', 'YYYY-MM-DD dddd'] as const
/** Subfolders of the daily notes' folder, by year and month. */
const below = ['', 'YYYY/', 'YYYY/MM/', 'YYYY/YYYY-MM/', 'YYYY/MM-MMMM/'] as const

/** Returns the folder and format of most daily notes; undefined if there are fewer than `minDays`. */
export function inferDailyNotes(paths: readonly string[]): DailyNotes | undefined {
  const counts = new Map<string, DailyNotes & { count: number }>()
  for (const path of paths) {
    if (!/\d{2}[^/]*\.md$/i.test(path)) continue
    for (const notes of candidates(path)) {
      if (dailyNoteDate(notes, path) === undefined) continue
      const key = `${notes.folder}\n${notes.format}`
      const known = counts.get(key) ?? { ...notes, count: 0 }
      known.count += 1
      counts.set(key, known)
    }
  }
  const [mostCommon] = [...counts.values()].sort((one, other) => other.count - one.count)
  return mostCommon && mostCommon.count >= minDays
    ? { folder: mostCommon.folder, format: mostCommon.format }
    : undefined
}

function candidates(path: string): DailyNotes[] {
  const steps = path.split('/')
  return below.flatMap((prefix) => {
    const depth = prefix.split('/').length
    if (steps.length < depth) return []
    const folder = steps.slice(0, -depth).join('/')
    return formats.map((format) => ({ folder, format: prefix + format }))
  })
}
