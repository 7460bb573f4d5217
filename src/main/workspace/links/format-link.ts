import type { VaultConventions } from '#shared/contract/index.ts'
import { fileNameOf, type Resolver, stemOf } from '#shared/markdown/links/resolve-link.ts'
import {
  applyEdits,
  encodeCharacter,
  isValidWikiTarget,
  markdownLink,
  markdownTargetFor,
  relativePath,
} from '#shared/markdown/links/rewrite-links.ts'
import { AppError } from '#shared/util/errors.ts'
import { formatTarget, parseLinks } from '#shared/markdown/links/parse-links.ts'

export type LinkStyle = Pick<VaultConventions, 'links' | 'linkPaths'>
/** Conventions for links, and for the notes that broken links create. */
export type LinkConventions = LinkStyle & Pick<VaultConventions, 'newNotes' | 'hasFlatPages'>

/** Returns the target for `[[…]]`; undefined if no wikilink can lead to the file (`#` or `|` in its name). */
export function wikiTarget(resolver: Resolver, from: string, path: string, style?: LinkStyle): string | undefined {
  return shortestTarget(resolver, 'wiki', from, path, style?.linkPaths ?? 'shortest')
}

/** Encoded. A relative path, unless the vault's Markdown links use names or absolute paths. */
export function inlineTarget(resolver: Resolver, from: string, path: string, style?: LinkStyle): string {
  const pathStyle = style?.linkPaths === 'shortest' && style.links !== 'markdown' ? 'relative' : style?.linkPaths
  const target = shortestTarget(resolver, 'inline', from, path, pathStyle ?? 'relative')
  return encodeURI((target ?? path).toWellFormed()).replaceAll(/[()#?]/g, encodeCharacter)
}

interface LinkParts {
  readonly from: string
  readonly path: string
  readonly label: string
  readonly isEmbed?: boolean
  /** Target for `[[…]]`; undefined if no wikilink can lead to the file. */
  readonly wiki: string | undefined
  readonly fragment?: string | undefined
  /** Encoded target for `](…)`. */
  readonly inline: string
}

/** Returns a link in the style of the vault. Falls back to a Markdown link if no wikilink is possible. */
export function formatLink(resolver: Resolver, parts: LinkParts, { links }: LinkStyle): string {
  const { from, path, label, isEmbed = false, wiki, fragment, inline } = parts
  if (links === 'wiki' && wiki !== undefined) return `${isEmbed ? '!' : ''}[[${wiki}]]`
  const markdownTarget = links === 'wiki' ? markdownTargetFor(resolver, { from, to: path, fragment }) : undefined
  return markdownLink(label, markdownTarget ?? inline, isEmbed)
}

export function formatFileLink(
  resolver: Resolver,
  { from, path, label, isEmbed }: { from: string; path: string; label: string; isEmbed: boolean },
  style: LinkStyle,
): string {
  const wiki = isWikiLabel(label) ? wikiTarget(resolver, from, path, style) : undefined
  const inline = inlineTarget(resolver, from, path, style)
  return formatLink(resolver, { from, path, label, isEmbed, wiki, inline }, style)
}

export function isWikiLabel(label: string): boolean {
  return !/[[\]\n]/.test(label)
}

/** Returns the first spelling that resolves to the file, the vault's own style first; undefined if there is none. */
function shortestTarget(
  resolver: Resolver,
  kind: 'wiki' | 'inline',
  from: string,
  to: string,
  pathStyle: VaultConventions['linkPaths'],
): string | undefined {
  const path = kind === 'wiki' ? stemOf(to) : to
  const name = fileNameOf(path)
  const relative = relativePath(from, path)
  const explicitRelative = relative.startsWith('../') ? relative : `./${relative}`
  const candidates = {
    // A name alone must be unique.
    shortest: resolver.countFilesNamed(name) === 1 ? [name, path] : [path],
    relative: [relative, explicitRelative],
    absolute: [path, `/${path}`],
  }[pathStyle]
  return [...candidates, path, explicitRelative].find(
    (target) => (kind !== 'wiki' || isValidWikiTarget(target)) && resolver.resolve(from, { kind, target })?.path === to,
  )
}

/** `target`: decoded, with its fragment; `by`: encoded as in a link of this kind. @throws AppError `edit_no_match` */
export function repairLink(
  text: string,
  { path, line, target, by: newTarget }: Readonly<{ path: string; line: number; target: string; by: string }>,
): string {
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
