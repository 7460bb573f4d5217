import type { LinkName } from '#shared/contract/index.ts'
import { fileNameOf, folderOf, keyOf, stemOf } from '#shared/markdown/links/resolve-link.ts'
import { isValidWikiTarget } from '#shared/markdown/links/rewrite-links.ts'
import { lineOfFragment } from '#shared/markdown/links/fragment.ts'
import type { LinkIndex } from './link-index.ts'
import { isWikiLabel, inlineTarget, formatLink, wikiTarget } from './format-link.ts'

const maxNames = 50

/** Completes a link in the note `from`, best first. @param typed part of a name, or a name, `#` and part of a title */
export function completeLink(index: LinkIndex, from: string, typed: string): LinkName[] {
  if (!typed.includes('#')) return notesFor(index, from, typed)
  // A name can contain `#`.
  return [...partsFor(index, from, typed), ...notesFor(index, from, typed)].slice(0, maxNames)
}

function partsFor(index: LinkIndex, from: string, input: string): LinkName[] {
  const { resolver, style } = index
  for (let hash = input.indexOf('#'); hash >= 0; hash = input.indexOf('#', hash + 1)) {
    const target = input.slice(0, hash)
    const path = resolver.resolve(from, { kind: 'wiki', target })?.path
    const note = path === undefined ? undefined : index.notes.get(path)
    if (path === undefined || !note) continue
    const typed = input.slice(hash + 1)
    const queryKey = keyOf(typed.replace(/^\^/, ''))
    const fits = (name: string) => queryKey === '' || keyOf(name).includes(queryKey)
    const own = target === '' ? '' : inlineTarget(resolver, from, path, style)
    const toLinkName = (kind: 'heading' | 'block', label: string, fragment: string): LinkName => {
      const wiki = target === '' || isValidWikiTarget(target) ? `${target}#${fragment}` : undefined
      const inline = `${own}#${encodeURI(fragment.toWellFormed()).replaceAll(/[()]/g, encodeParen)}`
      const link = formatLink(resolver, { from, path, label, wiki, fragment, inline }, style)
      return { path, label, kind, wiki: wiki ?? null, inline, link }
    }
    const headings = note.headings
      .filter(({ title }) => fits(title) && lineOfFragment(title, note) !== undefined)
      .map(({ title }) => toLinkName('heading', title, title.replaceAll(/[#|[\]]+/g, ' ').trim()))
    const blocks = note.blocks.filter(({ id }) => fits(id)).map(({ id }) => toLinkName('block', `^${id}`, `^${id}`))
    return (typed.startsWith('^') ? blocks : [...headings, ...blocks]).slice(0, maxNames)
  }
  return []
}

function encodeParen(sign: string): string {
  return sign === '(' ? '%28' : '%29'
}

interface Candidate {
  readonly path: string
  readonly name: string
  readonly kind: 'note' | 'alias' | 'file'
  /** Smaller is better. */
  readonly rank: number
}

function notesFor(index: LinkIndex, from: string, typed: string): LinkName[] {
  const queryKey = keyOf(typed.trim())
  const folder = folderOf(from)
  const found: Candidate[] = []
  for (const { path, names = [], ...file } of index.files()) {
    if (path === from) continue
    const isNote = 'links' in file
    const own = isNote ? stemOf(fileNameOf(path)) : fileNameOf(path)
    const aliases = names.filter((name) => keyOf(name) !== keyOf(own))
    const byName = rankOf(keyOf(own), queryKey) ?? (keyOf(stemOf(path)).includes(queryKey) ? 4 : undefined)
    const filePenalty = isNote ? 0 : 0.5
    if (byName !== undefined)
      found.push({ path, name: own, kind: isNote ? 'note' : 'file', rank: byName + filePenalty })
    for (const name of aliases) {
      const rank = rankOf(keyOf(name), queryKey)
      if (rank !== undefined && queryKey !== '') found.push({ path, name, kind: 'alias', rank: rank + 0.25 })
    }
  }
  const recent = (path: string) => index.notes.get(path)?.modifiedAt ?? 0
  const isNear = (path: string) => Number(path.startsWith(folder))
  return found
    .toSorted(
      (one, other) =>
        one.rank - other.rank ||
        (queryKey === '' ? recent(other.path) - recent(one.path) : 0) ||
        isNear(other.path) - isNear(one.path) ||
        one.name.length - other.name.length ||
        (one.path < other.path ? -1 : 1),
    )
    .slice(0, maxNames)
    .map(({ path, name, kind }) => {
      const { resolver, style } = index
      const target = kind === 'alias' && !isWikiLabel(name) ? undefined : wikiTarget(resolver, from, path, style)
      const wiki = target !== undefined && kind === 'alias' ? `${target}|${name}` : target
      const inline = inlineTarget(resolver, from, path, style)
      const link = formatLink(resolver, { from, path, label: name, wiki, inline }, style)
      return { path, label: name, kind, wiki: wiki ?? null, inline, link }
    })
}

/** Returns 0 for equal names, 1 for a prefix, 2 for the start of a word, 3 for another match; undefined for none. */
function rankOf(name: string, queryKey: string): number | undefined {
  if (name === queryKey) return 0
  const at = name.indexOf(queryKey)
  if (at < 0) return undefined
  if (at === 0) return 1
  return /[\s\-_/.]/.test(name[at - 1] ?? '') ? 2 : 3
}
