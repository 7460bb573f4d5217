import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'

/** `YYYY-MM-DD`. */
export function dayOf(date: Date): string {
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}

/** When the day began that was so many days ago, ms since the epoch. */
export function startOfDay(now: Date, daysAgo: number): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime()
}

interface LogLine {
  /** `HH:MM`; empty where nobody wrote it. */
  readonly time: string
  readonly text: string
  /** 1-based. */
  readonly line: number
}

/** What a day's log says, an entry each, newest first: its title, or the first line of it where it has none. */
export function entriesOf(log: string): LogLine[] {
  const entries: LogLine[] = []
  let open: { time: string; line: number } | undefined
  for (const [index, raw] of log.split('\n').entries()) {
    const { level } = leadOf(raw)
    const said = withoutLead(raw)
    const heading = level > 1 ? /^(?:(\d{1,2}:\d{2})(?:\s*[-–—]\s*|\s*$))?(.*)$/.exec(said) : undefined
    const text = (heading ? (heading[2] ?? '') : said).trim()
    if (heading) open = { time: heading[1] ?? '', line: index + 1 }
    if (text === '' || level === 1) continue
    if (heading || open || entries.length === 0) {
      entries.push({ time: open?.time ?? '', text, line: open?.line ?? index + 1 })
      open = undefined
    }
  }
  return entries.reverse()
}
