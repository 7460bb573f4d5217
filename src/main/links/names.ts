/** What a link that is being typed may mean, best first. */
import type { LinkName } from '../../shared/contract/index.ts'
import { baseOf, folderOf, keyOf, lineOfFragment, stemOf } from '../../shared/links/index.ts'
import type { LinkIndex } from './link-index.ts'
import { inlineTarget, wikiTarget, type LinkStyle } from './written.ts'

const maxNames = 50

/** @param typed behind `[[` or `](`: a name, or a name with `#` and the beginning of a heading */
export function namesFor(index: LinkIndex, from: string, typed: string): LinkName[] {
  const hash = typed.indexOf('#')
  return hash < 0 ? notesFor(index, from, typed) : partsFor(index, from, typed.slice(0, hash), typed.slice(hash + 1))
}

function partsFor(index: LinkIndex, from: string, target: string, typed: string): LinkName[] {
  const path = index.resolver.resolve(from, { kind: 'wiki', target })?.path
  const note = path === undefined ? undefined : index.notes.get(path)
  if (path === undefined || !note) return []
  const wanted = keyOf(typed.replace(/^\^/, ''))
  const fits = (name: string) => wanted === '' || keyOf(name).includes(wanted)
  const linkOf = linkWith(index.style)
  const written = (kind: 'heading' | 'block', label: string, part: string): LinkName => ({
    path,
    label,
    kind,
    ...linkOf(
      `${target}#${part}`,
      label,
      `${target === '' ? '' : inlineTarget(index.resolver, from, path, index.style)}#${encodeURI(part)}`,
    ),
  })
  const headings = note.headings
    .filter(({ title }) => fits(title) && lineOfFragment(title, note) !== undefined)
    .map(({ title }) => written('heading', title, title.replaceAll(/[#|[\]]+/g, ' ').trim()))
  const blocks = note.blocks.filter(({ id }) => fits(id)).map(({ id }) => written('block', `^${id}`, `^${id}`))
  return (typed.startsWith('^') ? blocks : [...headings, ...blocks]).slice(0, maxNames)
}

interface Found {
  readonly path: string
  readonly name: string
  readonly kind: 'note' | 'alias' | 'file'
  /** Smaller is better. */
  readonly rank: number
}

function notesFor(index: LinkIndex, from: string, typed: string): LinkName[] {
  const linkOf = linkWith(index.style)
  const wanted = keyOf(typed.trim())
  const here = folderOf(from)
  const found: Found[] = []
  for (const { path, names = [], ...file } of index.files()) {
    if (path === from) continue
    const isNote = 'links' in file
    const own = isNote ? stemOf(baseOf(path)) : baseOf(path)
    const offered = names.filter((name) => keyOf(name) !== keyOf(own))
    const byName = rankOf(keyOf(own), wanted) ?? (keyOf(stemOf(path)).includes(wanted) ? 4 : undefined)
    const late = isNote ? 0 : 0.5
    if (byName !== undefined) found.push({ path, name: own, kind: isNote ? 'note' : 'file', rank: byName + late })
    for (const name of offered) {
      const rank = rankOf(keyOf(name), wanted)
      if (rank !== undefined && wanted !== '') found.push({ path, name, kind: 'alias', rank: rank + 0.25 })
    }
  }
  const recent = (path: string) => index.notes.get(path)?.modifiedAt ?? 0
  const isNear = (path: string) => Number(path.startsWith(here))
  return found
    .toSorted(
      (one, other) =>
        one.rank - other.rank ||
        (wanted === '' ? recent(other.path) - recent(one.path) : 0) ||
        isNear(other.path) - isNear(one.path) ||
        one.name.length - other.name.length ||
        (one.path < other.path ? -1 : 1),
    )
    .slice(0, maxNames)
    .map(({ path, name, kind }) => {
      const target = wikiTarget(index.resolver, from, path, index.style)
      const wiki = kind === 'alias' ? `${target}|${name}` : target
      return { path, label: name, kind, ...linkOf(wiki, name, inlineTarget(index.resolver, from, path, index.style)) }
    })
}

/** The ways to write it; `link` is the vault's own. */
const linkWith =
  ({ links }: LinkStyle) =>
  (wiki: string, label: string, inline: string) => ({
    wiki,
    inline,
    link: links === 'wiki' ? `[[${wiki}]]` : `[${label.replaceAll(/[[\]\\]/g, '\\$&')}](${inline})`,
  })

/** The whole name, its beginning, the beginning of a word, anywhere in it; undefined for nowhere. */
function rankOf(name: string, wanted: string): number | undefined {
  if (name === wanted) return 0
  const at = name.indexOf(wanted)
  if (at < 0) return undefined
  if (at === 0) return 1
  return /[\s\-_/.]/.test(name[at - 1] ?? '') ? 2 : 3
}
