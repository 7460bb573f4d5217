import { AppError } from '#shared/util/errors.ts'
import { applyEdits, encodeCharacter } from '#shared/markdown/links/rewrite-links.ts'
import { formatTarget, parseLinks } from '#shared/markdown/links/parse-links.ts'

interface BrokenLinkRepair {
  readonly path: string
  /** 1-based. */
  readonly line: number
  /** Decoded target with its fragment. */
  readonly target: string
  /** New target, encoded as in a link of this kind. */
  readonly by: string
}

/** Replaces the target in all links of the line with this target. @throws AppError `edit_no_match` if there is none */
export function repairLink(text: string, { path, line, target, by: newTarget }: BrokenLinkRepair): string {
  const links = parseLinks(text).links.filter((link) => link.line === line && formatTarget(link) === target)
  if (links.length === 0) throw new AppError('edit_no_match', `${path} has changed since`, { path })
  return applyEdits(
    text,
    links.map(({ targetFrom, targetTo, fragmentTo, kind, isAngled }) => ({
      from: targetFrom,
      to: fragmentTo ?? targetTo,
      text: kind === 'wiki' || isAngled ? newTarget : newTarget.replaceAll(/[\s()]/g, encodeCharacter),
    })),
  )
}
