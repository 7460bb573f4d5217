import { dailyNoteDate, type DailyNotes } from '#shared/markdown/daily-notes.ts'

const minDailyNotes = 3

const formats = ['YYYY-MM-DD', 'YYYY_MM_DD', 'YYYYMMDD', 'DD-MM-YYYY', 'YYYY.MM.DD', 'YYYY-MM-DD dddd'] as const
/** Subfolders by year and month in which programs store daily notes. */
const subfolderFormats = ['', 'YYYY/', 'YYYY/MM/', 'YYYY/YYYY-MM/', 'YYYY/MM-MMMM/'] as const

/** Returns the folder and format of most daily notes; undefined if there are fewer than `minDailyNotes`. */
export function inferDailyNotes(paths: readonly string[]): DailyNotes | undefined {
  const counts = new Map<string, DailyNotes & { count: number }>()
  for (const path of paths) {
    if (!/\d{2}[^/]*\.md$/i.test(path)) continue
    for (const candidate of candidatesFor(path)) {
      if (dailyNoteDate(candidate, path) === undefined) continue
      const key = `${candidate.folder}\n${candidate.format}`
      const entry = counts.get(key) ?? { ...candidate, count: 0 }
      entry.count += 1
      counts.set(key, entry)
    }
  }
  const [mostCommon] = [...counts.values()].sort((a, b) => b.count - a.count)
  return mostCommon && mostCommon.count >= minDailyNotes
    ? { folder: mostCommon.folder, format: mostCommon.format }
    : undefined
}

function candidatesFor(path: string): DailyNotes[] {
  const segments = path.split('/')
  return subfolderFormats.flatMap((prefix) => {
    const depth = prefix.split('/').length
    if (segments.length < depth) return []
    const folder = segments.slice(0, -depth).join('/')
    return formats.map((format) => ({ folder, format: prefix + format }))
  })
}
