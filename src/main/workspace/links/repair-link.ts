import { AppError } from '#shared/util/errors.ts'
import { applyEdits } from '#shared/markdown/links/rewrite-links.ts'
import { parseLinks } from '#shared/markdown/links/parse-links.ts'

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

function changed(path: string): AppError {
  return new AppError('edit_no_match', `${path} was changed since`, { path })
}
