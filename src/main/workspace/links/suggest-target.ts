import { fileNameOf, keyOf, stemOf } from '#shared/markdown/links/resolve-link.ts'
import type { NoteLink } from '#shared/markdown/links/parse-links.ts'
import type { BrokenLink } from '#shared/contract/index.ts'
import type { LinkIndex } from './link-index.ts'
import { inlineTarget, wikiTarget } from './format-link.ts'

const maxSuggestions = 3
/** Minimum Sørensen–Dice similarity. */
const minSimilarity = 0.5

/** Returns a function that suggests targets for broken links. */
export function createTargetSuggester(index: LinkIndex) {
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
