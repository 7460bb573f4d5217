/** Formats a date in local time as `YYYY-MM-DD`, the Swedish format. */
export function isoDate(date: Date): string {
  return date.toLocaleDateString('sv')
}

/** Formats a time in local time as `HH:MM:SS`. */
export function isoTime(date: Date): string {
  return date.toLocaleTimeString('sv')
}

/** Returns the start of the local day `daysAgo` days ago, ms since the epoch. */
export function startOfDay(daysAgo: number, now = new Date()): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime()
}
