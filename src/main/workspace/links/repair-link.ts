import { AppError } from '#shared/util/errors.ts'
import { applyEdits } from '#shared/markdown/links/rewrite-links.ts'
import { parseLinks } from '#shared/markdown/links/parse-links.ts'

interface BrokenLinkRepair {
  readonly path: string
  /** 1-based. */
  readonly line: number
  /** Decoded target with its fragment. */
  readonly target: string
  /** New target, encoded as in a link of this kind. */
  readonly by: string
}

/** Replaces the target in every such link of the line. @throws AppError `edit_no_match` if the line has none */
export function repairLink(text: string, { path, line, target, by }: BrokenLinkRepair): string {
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
  return new AppError('edit_no_match', `${path} has changed since`, { path })
}
