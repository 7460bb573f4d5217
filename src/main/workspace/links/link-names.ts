import type { LinkName } from '#shared/contract/index.ts'
import { fileNameOf, folderOf, keyOf, stemOf } from '#shared/markdown/links/resolve-link.ts'
import { encodeCharacter, isValidWikiTarget } from '#shared/markdown/links/rewrite-links.ts'
import { lineOfFragment } from '#shared/markdown/links/fragment.ts'
import { isMarkdown } from '../files/layout.ts'
import type { LinkIndex } from './link-index.ts'
import { formatLink, inlineTarget, isWikiLabel, wikiTarget } from './format-link.ts'

const maxNames = 50

/** Completes a link in the note `from`, best first. @param typed part of a name, or a name, `#` and part of a title */
export function completeLink(index: LinkIndex, from: string, typed: string): LinkName[] {
  if (!typed.includes('#')) return completeName(index, from, typed)
  // A name can contain `#`.
  return [...completeFragment(index, from, typed), ...completeName(index, from, typed)].slice(0, maxNames)
}

function completeFragment(index: LinkIndex, from: string, input: string): LinkName[] {
  const { resolver, conventions: style } = index
  for (let hashIndex = input.indexOf('#'); hashIndex >= 0; hashIndex = input.indexOf('#', hashIndex + 1)) {
    const target = input.slice(0, hashIndex)
    const path = resolver.resolve(from, { kind: 'wiki', target })?.path
    const note = path === undefined ? undefined : index.notes.get(path)
    if (path === undefined || !note) continue
    const typed = input.slice(hashIndex + 1)
    const queryKey = keyOf(typed.replace(/^\^/, ''))
    const isMatch = (name: string) => queryKey === '' || keyOf(name).includes(queryKey)
    const noteTarget = target === '' ? '' : inlineTarget(resolver, from, path, style)
    const toLinkName = (kind: 'heading' | 'block', label: string, fragment: string): LinkName => {
      const wiki = target === '' || isValidWikiTarget(target) ? `${target}#${fragment}` : undefined
      const inline = `${noteTarget}#${encodeURI(fragment.toWellFormed()).replaceAll(/[()]/g, encodeCharacter)}`
      const link = formatLink(resolver, { from, path, label, wiki, fragment, inline }, style)
      return { path, label, kind, wiki: wiki ?? null, inline, link }
    }
    const headings = note.headings
      .filter(({ title }) => isMatch(title) && lineOfFragment(title, note) !== undefined)
      .map(({ title }) => toLinkName('heading', title, title.replaceAll(/[#|[\]]+/g, ' ').trim()))
    const blocks = note.blocks.filter(({ id }) => isMatch(id)).map(({ id }) => toLinkName('block', `^${id}`, `^${id}`))
    return (typed.startsWith('^') ? blocks : [...headings, ...blocks]).slice(0, maxNames)
  }
  return []
}

function completeName(index: LinkIndex, from: string, typed: string): LinkName[] {
  const queryKey = keyOf(typed.trim())
  const folder = folderOf(from)
  const candidates: { path: string; name: string; kind: 'note' | 'alias' | 'file'; rank: number }[] = []
  for (const { path, names = [] } of index.files.values()) {
    if (path === from) continue
    const isNote = isMarkdown(path)
    const fileName = isNote ? stemOf(fileNameOf(path)) : fileNameOf(path)
    const aliases = names.filter((name) => keyOf(name) !== keyOf(fileName))
    const nameRank = rankOf(keyOf(fileName), queryKey) ?? (keyOf(stemOf(path)).includes(queryKey) ? 4 : undefined)
    const filePenalty = isNote ? 0 : 0.5
    if (nameRank !== undefined)
      candidates.push({ path, name: fileName, kind: isNote ? 'note' : 'file', rank: nameRank + filePenalty })
    for (const name of aliases) {
      const rank = rankOf(keyOf(name), queryKey)
      if (rank !== undefined && queryKey !== '') candidates.push({ path, name, kind: 'alias', rank: rank + 0.25 })
    }
  }
  const modifiedAt = (path: string) => index.notes.get(path)?.modifiedAt ?? 0
  const nearness = (path: string) => Number(path.startsWith(folder))
  return candidates
    .toSorted(
      (a, b) =>
        a.rank - b.rank ||
        (queryKey === '' ? modifiedAt(b.path) - modifiedAt(a.path) : 0) ||
        nearness(b.path) - nearness(a.path) ||
        a.name.length - b.name.length ||
        (a.path < b.path ? -1 : 1),
    )
    .slice(0, maxNames)
    .map(({ path, name, kind }) => {
      const { resolver, conventions: style } = index
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
  const matchStart = name.indexOf(queryKey)
  if (matchStart < 0) return undefined
  if (matchStart === 0) return 1
  return /[\s\-_/.]/.test(name[matchStart - 1] ?? '') ? 2 : 3
}
