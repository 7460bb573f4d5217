import type { Habits } from '#shared/contract/index.ts'
import { baseOf, stemOf, type Resolver } from '#shared/markdown/links/resolve-link.ts'
import { inlineInstead, isWritable, markdownLink, relativePath } from '#shared/markdown/links/rewrite-links.ts'
import type { NoteLink } from '#shared/markdown/links/parse-links.ts'

export type LinkStyle = Pick<Habits, 'links' | 'linkPaths'>

/** What stands in `[[…]]`; undefined where none leads there, as to a name with `#` or `|` in it. */
export function wikiTarget(resolver: Resolver, from: string, path: string, style?: LinkStyle): string | undefined {
  return targetOf(resolver, { kind: 'wiki', from, path: stemOf(path), paths: style?.linkPaths ?? 'shortest', to: path })
}

/** What stands in `](…)`: the way from the note, unless the vault's own Markdown links have names or whole paths. */
export function inlineTarget(resolver: Resolver, from: string, path: string, style?: LinkStyle): string {
  const paths = style?.linkPaths === 'shortest' && style.links !== 'markdown' ? 'relative' : style?.linkPaths
  const target = targetOf(resolver, { kind: 'inline', from, path, paths: paths ?? 'relative', to: path })
  return encodeURI((target ?? path).toWellFormed()).replaceAll(
    /[()#?]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

interface Named {
  readonly from: string
  readonly path: string
  /** What it is called in a Markdown link. */
  readonly label: string
  readonly isEmbed?: boolean
  /** What stands in `[[…]]`; undefined where none leads there. */
  readonly wiki: string | undefined
  /** Of the note, as it is read. */
  readonly fragment?: string | undefined
  /** What stands in `](…)`, as the vault writes it. */
  readonly inline: string
}

/** A whole link as the vault writes it, and as a move would where no wikilink can be written. */
export function wholeLink(resolver: Resolver, named: Named, { links }: LinkStyle): string {
  const { from, path, label, isEmbed = false, wiki, fragment, inline } = named
  if (links === 'wiki' && wiki !== undefined) return `${isEmbed ? '!' : ''}[[${wiki}]]`
  const instead = links === 'wiki' ? inlineInstead(resolver, { from, to: path, fragment }) : undefined
  return markdownLink(label, instead ?? inline, isEmbed)
}

/** A whole link to a file; what can be shown is shown. @param label what it is called in a Markdown link */
export function linkTo(
  resolver: Resolver,
  { from, path, label, isEmbed }: { from: string; path: string; label: string; isEmbed: boolean },
  style: LinkStyle,
): string {
  const wiki = canLabel(label) ? wikiTarget(resolver, from, path, style) : undefined
  const inline = inlineTarget(resolver, from, path, style)
  return wholeLink(resolver, { from, path, label, isEmbed, wiki, inline }, style)
}

/** Whether `[[…|label]]` can hold it. */
export function canLabel(label: string): boolean {
  return !/[[\]\n]/.test(label)
}

interface Wanted {
  readonly kind: NoteLink['kind']
  readonly from: string
  /** As it is written, without `.md` where that is left out. */
  readonly path: string
  readonly paths: Habits['linkPaths']
  /** Where it has to lead. */
  readonly to: string
}

/** The first way to write it that leads there, the vault's own first. */
function targetOf(resolver: Resolver, { kind, from, path, paths, to }: Wanted): string | undefined {
  const name = baseOf(path)
  const relative = relativePath(from, path)
  const near = relative.startsWith('../') ? relative : `./${relative}`
  const forms = {
    // A name alone is one that no other file has.
    shortest: resolver.countOf(name) === 1 ? [name, path] : [path],
    relative: [relative, near],
    absolute: [path, `/${path}`],
  }[paths]
  return [...forms, path, near].find(
    (target) => (kind !== 'wiki' || isWritable(target)) && resolver.resolve(from, { kind, target })?.path === to,
  )
}
