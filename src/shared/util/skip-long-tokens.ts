/** Maximum characters of a token; longer than any path, URL or identifier. */
const maxLength = 400

/** Matches only characters of paths, URLs and identifiers, so CJK text without spaces stays. */
const longRuns = new RegExp(`[\\w@./:+%=&?#~-]{${maxLength + 1},}`, 'g')

/** Replaces tokens longer than `maxLength`, such as base64 data, with a space. */
export function removeLongTokens(text: string): string {
  return text.replace(longRuns, ' ')
}
