/** What a result shows of its chunk: the lines around its best ones, and which of their words matched. Pure. */
import { fold, termsOfWord } from '../text/terms.ts'
import type { KeywordPlan } from '../query/keyword-plan.ts'

const maxCharacters = 700

/** Before the first match in a part of a line, where there is a choice. */
const before = 80

/**
 * @param plan what was asked: of a line that is too long it is what matches that is shown
 * @returns the lines, and the first of them among those of `text`, 0-based
 */
export function snippetOf(
  text: string,
  bestLine: number,
  plan: KeywordPlan,
): { readonly snippet: string; readonly first: number } {
  const lines = text.split('\n')
  let from = Math.min(bestLine, Math.max(0, lines.length - 1))
  let to = from + 1
  let length = lines[from]?.length ?? 0
  for (;;) {
    const below = lines[to]
    const above = lines[from - 1]
    if (below !== undefined && length + below.length < maxCharacters) {
      length += below.length + 1
      to += 1
    } else if (above !== undefined && length + above.length < maxCharacters) {
      length += above.length + 1
      from -= 1
    } else break
  }
  while (from < to - 1 && lines[from]?.trim() === '') from += 1
  const snippet = lines.slice(from, to).join('\n').trim()
  return { snippet: snippet.length <= maxCharacters ? snippet : partOf(snippet, plan), first: from }
}

/** The part of a long line that has most of what was asked for; its beginning where nothing has. */
function partOf(line: string, plan: KeywordPlan): string {
  const places = placesOf(line, plan).toSorted((one, other) => one.at - other.at)
  let best = { at: 0, terms: 0 }
  for (const { at } of places) {
    const within = places.filter((place) => place.at >= at && place.at < at + maxCharacters - before)
    const terms = new Set(within.map(({ text }) => text.toLowerCase())).size
    if (terms > best.terms) best = { at, terms }
  }
  const from = best.at < maxCharacters - before ? 0 : best.at - before
  const part = line
    .slice(from, from + maxCharacters)
    .toWellFormed()
    .replaceAll('\ufffd', '')
  return `${from > 0 ? '…' : ''}${part}${from + maxCharacters < line.length ? '…' : ''}`
}

/** The words of `snippet`, as they stand there, that the query's terms matched; for highlighting. */
export function matchedWords(snippet: string, plan: KeywordPlan): string[] {
  const places = placesOf(snippet, plan)
  return [...new Set([...places.filter(({ isWord }) => isWord), ...places].map(({ text }) => text))]
}

interface Match {
  /** As it stands there; of scripts without words as it was asked for. */
  readonly text: string
  readonly at: number
  readonly isWord: boolean
}

/** Where the query's terms stand: each word wherever it does, a term of another script where it does first. */
function placesOf(text: string, plan: KeywordPlan): Match[] {
  const wanted = new Set<string>()
  const readings = plan.terms.flatMap((term) => term.readings)
  for (const { kind, term } of readings) if (kind === 'word') wanted.add(term)
  const places: Match[] = []
  if (wanted.size > 0) {
    const isMatch = new Map<string, boolean>()
    for (const { 0: word, index: at } of text.matchAll(/[\p{L}\p{N}]+(?:[_\-./:@#+'’][\p{L}\p{N}]+)*/gu)) {
      const known = isMatch.get(word) ?? termsOfWord(word).some((term) => wanted.has(term))
      isMatch.set(word, known)
      if (known) places.push({ text: word, at, isWord: true })
    }
  }
  const folded = fold(text)
  for (const { kind, term } of readings) {
    if (kind !== 'cjk') continue
    const shown = term.replaceAll(' ', '')
    const at = folded.indexOf(shown)
    if (at >= 0) places.push({ text: shown, at, isWord: false })
  }
  return places
}
