import { fileNameOf, keyOf, stemOf } from '#shared/markdown/links/resolve-link.ts'
import type { NoteLink } from '#shared/markdown/links/parse-links.ts'
import type { BrokenLink } from '#shared/contract/index.ts'
import type { LinkIndex } from './link-index.ts'
import { inlineTarget, wikiTarget } from './format-link.ts'

const maxNear = 3
/** Minimum Sørensen–Dice similarity. */
const minSimilarity = 0.5

interface NamedFile {
  readonly path: string
  readonly pairs: number
}

/** Suggests targets for broken links by the similarity of names. */
export class TargetSuggestions {
  readonly #index: LinkIndex
  readonly #byPair = new Map<string, NamedFile[]>()

  constructor(index: LinkIndex) {
    this.#index = index
    for (const { path, names = [] } of index.files())
      for (const name of [stemOf(fileNameOf(path)), ...names]) {
        const pairs = bigramsOf(name)
        const named = { path, pairs: pairs.size }
        for (const pair of pairs) {
          const known = this.#byPair.get(pair)
          if (known) known.push(named)
          else this.#byPair.set(pair, [named])
        }
      }
  }

  /** Returns up to three targets for a link in the note `from`, in its syntax, most similar first. */
  suggest(from: string, link: NoteLink, lacks: BrokenLink['lacks']): string[] {
    const note = lacks === 'part' ? this.#index.resolver.resolve(from, link)?.path : undefined
    if (note !== undefined) return this.#similarHeadings(note, link)
    const part = link.fragment === undefined ? '' : `#${link.fragment}`
    const write = link.kind === 'wiki' ? wikiTarget : inlineTarget
    return this.#similarPaths(stemOf(fileNameOf(link.target))).flatMap((path) => {
      const target = write(this.#index.resolver, from, path)
      return target === undefined ? [] : target + part
    })
  }

  #similarHeadings(path: string, { written, fragment = '' }: NoteLink): string[] {
    const queryBigrams = bigramsOf(fragment)
    const titles = [...new Set(this.#index.notes.get(path)?.headings.map(({ title }) => title))]
    return titles
      .map((title) => ({ title, similarity: similarity(queryBigrams, bigramsOf(title)) }))
      .filter(({ similarity }) => similarity >= minSimilarity)
      .toSorted((one, other) => other.similarity - one.similarity)
      .slice(0, maxNear)
      .map(({ title }) => `${written}#${title}`)
  }

  #similarPaths(name: string): string[] {
    const queryBigrams = bigramsOf(name)
    const shared = new Map<NamedFile, number>()
    for (const pair of queryBigrams)
      for (const named of this.#byPair.get(pair) ?? []) shared.set(named, (shared.get(named) ?? 0) + 1)
    const similar = [...shared]
      .map(([{ path, pairs }, count]) => ({ path, similarity: (2 * count) / (pairs + queryBigrams.size) }))
      .filter(({ similarity }) => similarity >= minSimilarity)
      .toSorted((one, other) => other.similarity - one.similarity || one.path.length - other.path.length)
    return [...new Set(similar.map(({ path }) => path))].slice(0, maxNear)
  }
}

function bigramsOf(name: string): Set<string> {
  const key = ` ${keyOf(name)
    .replaceAll(/[-_\s]+/g, ' ')
    .trim()} `
  return new Set(Array.from({ length: key.length - 1 }, (_, at) => key.slice(at, at + 2)))
}

function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return (2 * [...one].filter((pair) => other.has(pair)).length) / (one.size + other.size)
}
