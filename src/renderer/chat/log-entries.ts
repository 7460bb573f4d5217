import { lineEntry } from '#shared/markdown/log-entry.ts'
import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'

interface LogEntry {
  /** `HH:MM`; empty if the entry has no time. */
  readonly time: string
  readonly text: string
  /** 1-based. */
  readonly line: number
}

/** Returns the entries of a daily log, newest first, each with its title or its first line. */
export function logEntries(log: string): LogEntry[] {
  const entries: LogEntry[] = []
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
