/** Unix times in seconds. A number in this range may be a date that a user gave to a copy. */
const plausibleTimes = { from: Date.UTC(2000) / 1000, to: Date.UTC(2040) / 1000 }

/**
 * Returns temporary files that atomic writes of earlier versions left: the name of an existing file, a dot and a 32-bit
 * number of nine or ten digits that is not a plausible Unix time.
 * @param paths all files of the workspace
 */
export function findLegacyTempFiles(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return paths.filter((path) => {
    const [, base, digits] = /^(.+)\.([1-9]\d{8,9})$/.exec(path) ?? []
    if (base === undefined || digits === undefined || !all.has(base)) return false
    const number = Number(digits)
    return number < 2 ** 32 && !(number >= plausibleTimes.from && number <= plausibleTimes.to)
  })
}
