/** Small changes of one link in a text: a mention becomes one, a broken one is given another target. Pure. */
import { AppError } from '#shared/util/errors.ts'
import { applyEdits } from '#shared/markdown/links/rewrite-links.ts'
import { canStandBeside, notProse } from '#shared/markdown/links/prose.ts'
import { parseLinks } from '#shared/markdown/links/parse-links.ts'

interface Mentioned {
  readonly path: string
  /** 1-based. */
  readonly line: number
  /** In the line. */
  readonly from: number
  readonly words: string
  /** The link to be, where it is called by the words; a `[[name]]` gets them as its label. */
  readonly link: string
}

/** @throws AppError `edit_no_match` when the words do not stand there any more, or are none of the prose */
export function linkMention(text: string, { path, line, from, words, link }: Mentioned): string {
  const start = startOfLine(text, line) + from
  const to = start + words.length
  if (!text.startsWith(words, start) || !canStandBeside(text, start, to)) throw changed(path)
  if (notProse(text).some((range) => range.from < to && range.to > start)) throw changed(path)
  const isNamed = !link.startsWith('[[') || link === `[[${words}]]`
  // A bar would end the cell of a table.
  const bar = isInTable(text, start) ? '\\|' : '|'
  const labelled = isNamed ? link : `${link.slice(0, -2)}${bar}${words}]]`
  return applyEdits(text, [{ from: start, to, text: labelled }])
}

/** By the row below the head of the table, which stands above, or right below, in the lines without an empty one between. */
function isInTable(text: string, at: number): boolean {
  const lines = text.split('\n')
  const row = text.slice(0, at).split('\n').length - 1
  if (!lines[row]?.includes('|')) return false
  for (let line = row + 1; line >= 0; line -= 1) {
    const shown = lines[line]?.trim() ?? ''
    if (/^(?=.*\|)[\s|:>-]+$/.test(shown) && shown.includes('-')) return true
    if (line <= row && !shown.includes('|')) return false
  }
  return false
}

interface Broken {
  readonly path: string
  /** 1-based. */
  readonly line: number
  /** Decoded, with its fragment. */
  readonly target: string
  /** What it shall be, as it is written in a link of its kind. */
  readonly by: string
}

/** @throws AppError `edit_no_match` when no such link stands there any more */
export function mendLink(text: string, { path, line, target, by }: Broken): string {
  const links = parseLinks(text).links.filter((link) => {
    const { fragment } = link
    return link.line === line && (fragment === undefined ? link.target : `${link.target}#${fragment}`) === target
  })
  if (links.length === 0) throw changed(path)
  return applyEdits(
    text,
    links.map(({ targetFrom, targetTo, fragmentTo, kind, isAngled }) => ({
      from: targetFrom,
      to: fragmentTo ?? targetTo,
      text: kind === 'wiki' || isAngled ? by : by.replaceAll(/[\s()]/g, encodeSign),
    })),
  )
}

function encodeSign(sign: string): string {
  return sign === '(' ? '%28' : sign === ')' ? '%29' : encodeURIComponent(sign)
}

function startOfLine(text: string, line: number): number {
  let start = 0
  for (let number = 1; number < line && start >= 0; number += 1) start = text.indexOf('\n', start) + 1 || text.length
  return start
}

function changed(path: string): AppError {
  return new AppError('edit_no_match', `${path} was changed since`, { path })
}
