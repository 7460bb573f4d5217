/** Longer than any path, address or identifier that somebody would look for. */
const longestName = 400

/** Text in scripts without spaces is none of it: such a run is of what names and paths are written with. */
const longRuns = new RegExp(`[\\w@./:+%=&?#~-]{${longestName + 1},}`, 'g')

export function withoutLongRuns(text: string): string {
  return text.replace(longRuns, ' ')
}
