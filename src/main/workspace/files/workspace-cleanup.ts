/** Moments within which a number of seconds may be a date that somebody gave a copy as its name. */
const dates = { from: Date.UTC(2000) / 1000, to: Date.UTC(2040) / 1000 }

/**
 * Only what is surely such: nine or ten digits of a 32-bit number after the name of a file that is there, and no date.
 * @param paths of all files
 */
export function earlierLeftOvers(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return paths.filter((path) => {
    const [, base, digits] = /^(.+)\.([1-9]\d{8,9})$/.exec(path) ?? []
    if (base === undefined || digits === undefined || !all.has(base)) return false
    const number = Number(digits)
    return number < 2 ** 32 && !(number >= dates.from && number <= dates.to)
  })
}
