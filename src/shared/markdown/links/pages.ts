import { decodePart } from '../../util/decode.ts'
import { months, ordinal } from '../daily-notes.ts'

/**
 * Returns Logseq page names of a file: `a___b.md` and `a%2Fb.md` are the page `a/b`; `2025_01_31.md` is the journal
 * `Jan 31st, 2025`. Empty if the only page name is the file name.
 */
export function pageNames(path: string): string[] {
  const base = path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:md|markdown)$/i, '')
  const [, year, month, day] = /^(\d{4})_(\d{2})_(\d{2})$/.exec(base) ?? []
  const monthName = months[Number(month) - 1]?.slice(0, 3)
  if (year !== undefined && monthName !== undefined)
    return [`${monthName} ${ordinal(Number(day))}, ${year}`, `${year}-${month}-${day}`]
  const page = logseqPageName(base)
  return page === base ? [] : [page]
}

/** Returns the Logseq page name for a file name without extension. */
export function logseqPageName(base: string): string {
  return decodePart(base.replaceAll('___', '/'))
}
