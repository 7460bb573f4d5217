/** How a link to a note is written anew: as the vault writes its links, where that leads there. Pure. */
import type { Habits } from '../../shared/contract/index.ts'
import { baseOf, relativePath, stemOf, type NoteLink, type Resolver } from '../../shared/links/index.ts'

export type LinkStyle = Pick<Habits, 'links' | 'linkPaths'>

/** What stands in `[[…]]`. */
export function wikiTarget(resolver: Resolver, from: string, path: string, style?: LinkStyle): string {
  return targetOf(resolver, { kind: 'wiki', from, path: stemOf(path), paths: style?.linkPaths ?? 'shortest', to: path })
}

/** What stands in `](…)`: the way from the note, unless the vault's own Markdown links have names or whole paths. */
export function inlineTarget(resolver: Resolver, from: string, path: string, style?: LinkStyle): string {
  const paths = style?.linkPaths === 'shortest' && style.links !== 'markdown' ? 'relative' : style?.linkPaths
  const target = targetOf(resolver, { kind: 'inline', from, path, paths: paths ?? 'relative', to: path })
  return encodeURI(target.toWellFormed()).replaceAll(
    /[()#?]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** A whole link to a file; what can be shown is shown. @param label what it is called in a Markdown link */
export function linkTo(
  resolver: Resolver,
  { from, path, label, isEmbed }: { from: string; path: string; label: string; isEmbed: boolean },
  style: LinkStyle,
): string {
  const mark = isEmbed ? '!' : ''
  if (style.links === 'wiki') return `${mark}[[${wikiTarget(resolver, from, path, style)}]]`
  return `${mark}[${label.replaceAll(/[[\]\\]/g, '\\$&')}](${inlineTarget(resolver, from, path, style)})`
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
function targetOf(resolver: Resolver, { kind, from, path, paths, to }: Wanted): string {
  const name = baseOf(path)
  const relative = relativePath(from, path)
  const near = relative.startsWith('../') ? relative : `./${relative}`
  const forms = {
    // A name alone is one that no other file has.
    shortest: resolver.countOf(name) === 1 ? [name, path] : [path],
    relative: [relative, near],
    absolute: [path, `/${path}`],
  }[paths]
  return [...forms, path, near].find((target) => resolver.resolve(from, { kind, target })?.path === to) ?? path
}
