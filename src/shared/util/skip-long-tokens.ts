/**
 * Looking for names in a text costs the square of its longest run of letters, for every letter may begin one. What is
 * longer than any name (base64, a hash of hashes, a key that was held down) is therefore taken out first. Pure.
 */

/** Longer than any path, address or identifier that somebody would look for. */
const longestName = 400

/** Text in scripts without spaces is none of it: such a run is of what names and paths are written with. */
const longRuns = new RegExp(`[\\w@./:+%=&?#~-]{${longestName + 1},}`, 'g')

export function withoutLongRuns(text: string): string {
  return text.replace(longRuns, ' ')
}
