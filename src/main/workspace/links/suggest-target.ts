import { fileNameOf, keyOf, stemOf } from '#shared/markdown/links/resolve-link.ts'
import type { NoteLink } from '#shared/markdown/links/parse-links.ts'
import type { BrokenLink } from '#shared/contract/index.ts'
import type { LinkIndex } from './link-index.ts'
import { inlineTarget, wikiTarget } from './format-link.ts'

const maxSuggestions = 3
/** Minimum Sørensen–Dice similarity. */
const minSimilarity = 0.5

interface NamedFile {
  readonly path: string
  readonly bigramCount: number
}

/** Returns a function that suggests targets for broken links. */
export function createTargetSuggester(index: LinkIndex) {
  const filesByBigram = new Map<string, NamedFile[]>()
  for (const { path, names = [] } of index.files())
    for (const name of [stemOf(fileNameOf(path)), ...names]) {
      const bigrams = bigramsOf(name)
      const file = { path, bigramCount: bigrams.size }
      for (const bigram of bigrams) {
        const files = filesByBigram.get(bigram)
        if (files) files.push(file)
        else filesByBigram.set(bigram, [file])
      }
    }

  const similarHeadings = (path: string, { written, fragment = '' }: NoteLink) => {
    const queryBigrams = bigramsOf(fragment)
    const titles = new Set(index.notes.get(path)?.headings.map(({ title }) => title))
    return Array.from(titles, (title) => ({ title, similarity: similarity(queryBigrams, bigramsOf(title)) }))
      .filter(({ similarity }) => similarity >= minSimilarity)
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, maxSuggestions)
      .map(({ title }) => `${written}#${title}`)
  }

  const similarPaths = (name: string) => {
    const queryBigrams = bigramsOf(name)
    const counts = new Map<NamedFile, number>()
    for (const bigram of queryBigrams)
      for (const file of filesByBigram.get(bigram) ?? []) counts.set(file, (counts.get(file) ?? 0) + 1)
    const similarFiles = [...counts]
      .map(([{ path, bigramCount }, count]) => ({ path, similarity: (2 * count) / (bigramCount + queryBigrams.size) }))
      .filter(({ similarity }) => similarity >= minSimilarity)
      .sort((a, b) => b.similarity - a.similarity || a.path.length - b.path.length)
    return [...new Set(similarFiles.map(({ path }) => path))].slice(0, maxSuggestions)
  }

  /** Returns up to three targets for a link in the note `from`, in its syntax, most similar first. */
  return (from: string, link: NoteLink, lacks: BrokenLink['lacks']): string[] => {
    const note = lacks === 'part' ? index.resolver.resolve(from, link)?.path : undefined
    if (note !== undefined) return similarHeadings(note, link)
    const fragment = link.fragment === undefined ? '' : `#${link.fragment}`
    const targetFor = link.kind === 'wiki' ? wikiTarget : inlineTarget
    return similarPaths(stemOf(fileNameOf(link.target))).flatMap((path) => {
      const target = targetFor(index.resolver, from, path)
      return target === undefined ? [] : target + fragment
    })
  }
}

function bigramsOf(name: string): Set<string> {
  const key = ` ${keyOf(name)
    .replaceAll(/[-_\s]+/g, ' ')
    .trim()} `
  return new Set(Array.from({ length: key.length - 1 }, (_, index) => key.slice(index, index + 2)))
}

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return (2 * [...a].filter((bigram) => b.has(bigram)).length) / (a.size + b.size)
}
