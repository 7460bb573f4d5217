import { dailyNoteDate, type DailyNotes } from '#shared/markdown/daily-notes.ts'

/** So many notes of days are a habit. */
const minDays = 3

const formats = ['YYYY-MM-DD', 'YYYY_MM_DD', 'YYYYMMDD', 'DD-MM-YYYY', 'YYYY.MM.DD', 'YYYY-MM-DD dddd'] as const
/** Below the folder of the notes of days, by year and month. */
const below = ['', 'YYYY/', 'YYYY/MM/', 'YYYY/YYYY-MM/', 'YYYY/MM-MMMM/'] as const

/** The folder and format that most notes of days have; undefined where there are few. */
export function observedDaily(paths: readonly string[]): DailyNotes | undefined {
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
  const [most] = [...counts.values()].sort((one, other) => other.count - one.count)
  return most && most.count >= minDays ? { folder: most.folder, format: most.format } : undefined
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
