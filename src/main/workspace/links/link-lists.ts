import { posix } from 'node:path'
import type { NoteLine, BrokenLink, OutgoingLink } from '#shared/contract/index.ts'
import { folderOf, fileNameOf, joinPath, keyOf, stemOf } from '#shared/markdown/links/resolve-link.ts'
import { formatTarget, type NoteLink } from '#shared/markdown/links/parse-links.ts'
import { lineOfFragment } from '#shared/markdown/links/fragment.ts'
import { nameKey } from '#shared/markdown/properties/parse-properties.ts'
import { isHiddenPath, toFileName } from '../files/file-names.ts'
import type { IndexedNote, LinkIndex, Referrer } from './link-index.ts'
import { inlineTarget, type LinkConventions, wikiTarget } from './format-link.ts'

const maxLinks = 300
const maxBroken = 1000
const maxSuggested = 300
const maxExcerptLength = 400

/** Returns null if there is none: `path` of the target, `line` (1-based) of the fragment, path that a broken link `makes`. */
export function resolveLink(index: LinkIndex, from: string, link: Pick<NoteLink, 'kind' | 'target' | 'fragment'>) {
  const path = index.resolver.resolve(from, link)?.path ?? null
  const note = path === null ? undefined : index.notes.get(path)
  const line = note && link.fragment !== undefined ? (lineOfFragment(link.fragment, note) ?? null) : null
  return { path, line, makes: path === null ? (newNotePath(from, link, index.conventions) ?? null) : null }
}

/** Returns undefined for other file types and for paths that are hidden or outside the workspace. */
function newNotePath(
  from: string,
  { kind, target }: Pick<NoteLink, 'kind' | 'target'>,
  { newNotes, hasFlatPages }: LinkConventions,
): string | undefined {
  if (target === '' || /\.(?!(?:md|markdown)$)[a-z][a-z\d]{1,4}$/i.test(target) || target.endsWith('/'))
    return undefined
  const stem = target.replace(/\.(?:md|markdown)$/i, '')
  const newNoteFolder = newNotes === 'beside' ? folderOf(from) : newNotes.path === '' ? '' : `${newNotes.path}/`
  const isPath = kind !== 'wiki' || /^\.\.?\//.test(stem)
  let path: string
  if (hasFlatPages && !isPath) path = newNoteFolder + stem.replaceAll('/', '___')
  else if (stem.startsWith('/')) path = stem.slice(1)
  else if (isPath) path = folderOf(from) + stem
  else path = stem.includes('/') ? stem : newNoteFolder + stem
  const segments = joinPath('', path)?.split('/') ?? []
  const names = segments.map((segment) => toFileName(segment, ''))
  if (names.length === 0 || names.includes('') || isHiddenPath(names)) return undefined
  return `${names.join('/')}.md`
}

export function titlesOf(index: LinkIndex) {
  return [...index.notes.values()].flatMap(({ path, properties, headings }) => {
    const titleProperty = properties.find(({ name, isTop }) => isTop && nameKey(name) === 'title')?.values[0]
    const title = (titleProperty ?? headings.find(({ level }) => level === 1)?.title ?? '').trim()
    return title === '' ? [] : [{ path, title: title.slice(0, maxExcerptLength) }]
  })
}

/** Returns the properties and tags of a note, with 1-based lines; empty if the note is unknown. */
export function notePropertiesOf(index: LinkIndex, path: string) {
  const { properties = [], tags = [] } = index.notes.get(path) ?? {}
  return {
    properties: properties.map(({ name, values, line }) => ({ name, values: [...values], line })),
    tags: tags.map(({ name, line }) => ({ name, line })),
  }
}

/** Returns the path, 1-based line and text of the first block with an id (without `^`); null if there is none. */
export async function blockOf(index: LinkIndex, id: string) {
  for (const note of index.notes.values()) {
    const line = note.blocks.find((block) => block.id === id)?.line
    if (line !== undefined) return { path: note.path, line, text: await lineReader(index)(note.path, line) }
  }
  return null
}

/** Returns the outgoing links and the backlinks of a note. A line with several links to it is listed once. */
export async function linksOf(index: LinkIndex, path: string) {
  const links = index.notes.get(path)?.links ?? []
  const outgoing = links.slice(0, maxLinks).map((link): OutgoingLink => ({
    at: link.line,
    target: formatTarget(link),
    ...resolveLink(index, path, link),
  }))
  const keyOf = ({ note, link }: Referrer) => `${link.line}:${note.path}`
  const referrers = [...new Map(index.referrersOf(path).map((referrer) => [keyOf(referrer), referrer])).values()]
  const lineAt = lineReader(index)
  const backlinks = await Array.fromAsync(referrers.slice(0, maxLinks), async ({ note, link }): Promise<NoteLine> => {
    return { path: note.path, line: link.line, text: await lineAt(note.path, link.line) }
  })
  return { outgoing, backlinks, counts: { outgoing: links.length, backlinks: referrers.length } }
}

/** Returns a function that reads a line (1-based) and shortens it; it reads each note once. */
function lineReader(index: LinkIndex) {
  const texts = new Map<string, string[]>()
  return async (path: string, line: number): Promise<string> => {
    const lines = texts.get(path) ?? ((await index.text(path))?.text ?? '').split('\n')
    texts.set(path, lines)
    return (lines[line - 1] ?? '').trim().slice(0, maxExcerptLength).toWellFormed()
  }
}

/** Returns links whose target, or its heading or block, does not exist. `count` includes links beyond the limit. */
export async function brokenLinks(index: LinkIndex): Promise<{ links: BrokenLink[]; count: number }> {
  const folders = new Set(Array.from(index.files.keys(), folderOf))
  const broken: { note: IndexedNote; link: NoteLink; lacks: BrokenLink['lacks'] }[] = []
  for (const note of index.notes.values())
    for (const link of note.links) {
      const lacks = missingPart(index, folders, note, link)
      if (lacks) broken.push({ note, link, lacks })
    }
  const lineAt = lineReader(index)
  const suggest = createTargetSuggester(index)
  const links: BrokenLink[] = []
  for (const { note, link, lacks } of broken.slice(0, maxBroken)) {
    const { path } = note
    const near = links.length < maxSuggested ? suggest(path, link, lacks) : []
    const { makes } = resolveLink(index, path, link)
    const text = await lineAt(path, link.line)
    links.push({ path, line: link.line, text, target: formatTarget(link), lacks, makes, near })
  }
  return { links, count: broken.length }
}

function missingPart(index: LinkIndex, folders: ReadonlySet<string>, note: IndexedNote, link: NoteLink) {
  const resolved = index.resolver.resolve(note.path, link)
  if (resolved) {
    const target = index.notes.get(resolved.path)
    const hasNoFragment = !target || link.fragment === undefined || link.fragment === ''
    return hasNoFragment || lineOfFragment(link.fragment, target) !== undefined ? undefined : 'part'
  }
  // Links to folders and to hidden files are not broken.
  if (link.target.split('/').some((segment) => segment.length > 2 && segment.startsWith('.'))) return undefined
  const path = posix.join(link.target.startsWith('/') ? '' : folderOf(note.path), link.target, '/')
  return folders.has(path.replace(/^\/+/, '')) || path === './' ? undefined : 'note'
}

const maxSuggestions = 3
/** Minimum Sørensen–Dice similarity. */
const minSimilarity = 0.5

function createTargetSuggester(index: LinkIndex) {
  const namesOf = (path: string, names: readonly string[] = []) => [stemOf(fileNameOf(path)), ...names]
  const similarPaths = similarNames(
    [...index.files.values()].flatMap(({ path, names }) => namesOf(path, names).map((name) => [name, path] as const)),
  )

  /** Returns up to three targets for a link in the note `from`, in its syntax, most similar first. */
  return (from: string, link: NoteLink, lacks: BrokenLink['lacks']): string[] => {
    const note = lacks === 'part' ? index.resolver.resolve(from, link)?.path : undefined
    if (note !== undefined) {
      const headings = index.notes.get(note)?.headings ?? []
      const similarHeadings = similarNames(headings.map(({ title }) => [title, title]))
      return similarHeadings(link.fragment ?? '').map((title) => `${link.written}#${title}`)
    }
    const fragment = link.fragment === undefined ? '' : `#${link.fragment}`
    const targetFor = link.kind === 'wiki' ? wikiTarget : inlineTarget
    return similarPaths(stemOf(fileNameOf(link.target))).flatMap((path) => {
      const target = targetFor(index.resolver, from, path)
      return target === undefined ? [] : target + fragment
    })
  }
}

/** Returns a function that finds up to three values whose names are similar to a text, most similar first. */
function similarNames(entries: readonly (readonly [name: string, value: string])[]) {
  const sized = entries.map(([name, value]) => ({ value, bigrams: bigramsOf(name) }))
  const pairs = sized.flatMap((entry) => Array.from(entry.bigrams, (bigram) => ({ bigram, entry })))
  const pairsByBigram = Map.groupBy(pairs, ({ bigram }) => bigram)
  return (text: string): string[] => {
    const bigrams = bigramsOf(text)
    const common = new Map<(typeof sized)[number], number>()
    for (const bigram of bigrams)
      for (const { entry } of pairsByBigram.get(bigram) ?? []) common.set(entry, (common.get(entry) ?? 0) + 1)
    const similar = [...common]
      .map(([entry, count]) => ({ ...entry, similarity: (2 * count) / (entry.bigrams.size + bigrams.size) }))
      .filter(({ similarity }) => similarity >= minSimilarity)
      .sort((a, b) => b.similarity - a.similarity || a.value.length - b.value.length)
    return [...new Set(similar.map(({ value }) => value))].slice(0, maxSuggestions)
  }
}

function bigramsOf(name: string): Set<string> {
  const key = ` ${keyOf(name)
    .replaceAll(/[-_\s]+/g, ' ')
    .trim()} `
  return new Set(Array.from({ length: key.length - 1 }, (_, index) => key.slice(index, index + 2)))
}
