import { fold, termsOfWord } from '../text/terms.ts'
import type { QueryWord, QueryWords, WordMatch } from './query-words.ts'

const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const word = /[\p{L}\p{N}]+(?:[_\-./:@#+'’][\p{L}\p{N}]+)*/gu

export function matchedWords(text: string, { list: words }: QueryWords): string[] {
  const matched = new Set<string>()
  const wanted = new Set<string>()
  const folded = fold(text)
  for (const { shown, matches } of words)
    for (const match of matches) {
      const written = fold(match.word ?? shown)
      if (!cjk.test(written)) for (const term of match.terms) wanted.add(term)
      else if (folded.includes(written)) matched.add(written)
    }
  for (const [found] of text.matchAll(word))
    if (!matched.has(found) && termsOfWord(found).some((term) => wanted.has(term))) matched.add(found)
  return [...matched]
}

export function matchedTerm({ shown, matches }: QueryWord, unit?: number) {
  const found = matches.filter(({ units, headUnits }) =>
    unit === undefined ? units.length + headUnits.length > 0 : units.includes(unit),
  )
  const best = found.reduce<WordMatch | undefined>(
    (one, other) => (one && one.weight >= other.weight ? one : other),
    undefined,
  )
  if (!best || best.kind === 'exact' || best.word === undefined) return { term: shown }
  const isAlike = best.kind === 'derived' || best.kind === 'related'
  return { term: shown, ...(isAlike ? { alike: best.word } : { instead: best.word }) }
}
