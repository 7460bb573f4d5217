import { decodePart } from '../../util/decode.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `a___b.md` and `a%2Fb.md` are the page `a/b`; `2025_01_31.md` is the journal of `Jan 31st, 2025`. */
export function pageNames(path: string): string[] {
  const base = path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:md|markdown)$/i, '')
  const [, year, month, day] = /^(\d{4})_(\d{2})_(\d{2})$/.exec(base) ?? []
  const name = months[Number(month) - 1]
  if (year !== undefined && name !== undefined)
    return [`${name} ${Number(day)}${ordinal(Number(day))}, ${year}`, `${year}-${month}-${day}`]
  const page = pageOf(base)
  return page === base ? [] : [page]
}

/** What Logseq calls a page by the name of its file. */
export function pageOf(base: string): string {
  return decodePart(base.replaceAll('___', '/'))
}

function ordinal(day: number): string {
  if (day >= 11 && day <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}
