import { lineEntry } from '#shared/markdown/log-entry.ts'
import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'

/**
 * Returns the entries of a daily log, newest first, each with its title or its first line.
 * @returns `time`: `HH:MM`, empty if the entry has none; `line`: 1-based
 */
export function logEntries(log: string) {
  const entries: { time: string; text: string; line: number }[] = []
  let pendingHeading: { time: string; line: number } | undefined
  for (const [index, line] of log.split('\n').entries()) {
    const item = lineEntry(line)
    if (item) {
      entries.push({ ...item, line: index + 1 })
      pendingHeading = undefined
      continue
    }
    const { level } = leadOf(line)
    const content = withoutLead(line)
    const heading = level > 1 ? /^(?:(\d{1,2}:\d{2})(?:\s*[-–—]\s*|\s*$))?(.*)$/.exec(content) : undefined
    const text = (heading ? (heading[2] ?? '') : content).trim()
    if (heading) pendingHeading = { time: heading[1] ?? '', line: index + 1 }
    if (text === '' || level === 1) continue
    if (heading || pendingHeading || entries.length === 0) {
      entries.push({ time: pendingHeading?.time ?? '', text, line: pendingHeading?.line ?? index + 1 })
      pendingHeading = undefined
    }
  }
  return entries.reverse()
}
