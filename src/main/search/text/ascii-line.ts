import { monthNames } from './dates.ts'
import { stem } from './stem.ts'

const letter = 1
const digit = 2
const joint = 4
const apostrophe = 8

const kinds = new Uint8Array(128)
for (let code = 97; code <= 122; code += 1) kinds[code] = letter
for (let code = 48; code <= 57; code += 1) kinds[code] = digit
for (const sign of String.raw`_-./:@#+\ `.trim()) kinds[sign.charCodeAt(0)] = joint
kinds[39] = apostrophe

/** First letters of month names, to skip the set lookup for most words. */
const monthLetters = new Set(monthNames.map((name) => name.charCodeAt(0)))
const longestMonth = Math.max(...monthNames.map(({ length }) => length))
const months = new Set(monthNames)

export interface AsciiTerms {
  readonly terms: string[]
  /** False if the line has neither a digit nor the name of a month, and so no canonical forms. */
  readonly mayHaveForms: boolean
}

/**
 * Returns the terms of an ASCII line. Faster than `anyLineTerms`, with the same result.
 * @param line in lower case, ASCII only
 * @param onWord called with each word and its term; for an identifier, with each of its parts
 */
export function asciiTerms(line: string, onWord: (word: string, term: string) => void): AsciiTerms {
  const terms: string[] = []
  let mayHaveForms = false
  const kindAt = (at: number) => (at < line.length ? (kinds[line.charCodeAt(at)] ?? 0) : 0)
  const isPart = (at: number) => (kindAt(at) & (letter | digit)) !== 0
  const endOfRun = (from: number) => {
    let end = from
    for (let kind = kindAt(end); (kind & (letter | digit)) !== 0; kind = kindAt(end)) {
      if (kind === digit) mayHaveForms = true
      end += 1
    }
    const hasMonthLength = end - from >= 3 && end - from <= longestMonth
    if (hasMonthLength && monthLetters.has(line.charCodeAt(from)) && months.has(line.slice(from, end)))
      mayHaveForms = true
    return end
  }
  const add = (from: number, to: number) => {
    const word = line.slice(from, to)
    const term = stem(word)
    terms.push(term)
    onWord(word, term)
  }
  let at = 0
  while (at < line.length) {
    if (!isPart(at)) {
      at += 1
      continue
    }
    const end = endOfRun(at)
    let identifierEnd = end
    while (kindAt(identifierEnd) === joint && isPart(identifierEnd + 1)) identifierEnd = endOfRun(identifierEnd + 1)
    if (identifierEnd > end) {
      terms.push(line.slice(at, identifierEnd))
      for (let from = at; from < identifierEnd;) {
        const to = endOfRun(from)
        add(from, to)
        from = to + 1
      }
      at = identifierEnd
      continue
    }
    const suffixEnd = kindAt(end) === apostrophe && kindAt(end + 1) === letter ? endOfRun(end + 1) : end
    // The letters after an apostrophe may begin an identifier: `don't-stop` is `don` and `t-stop`.
    const beginsIdentifier = kindAt(suffixEnd) === joint && isPart(suffixEnd + 1)
    let to = end
    if (suffixEnd > end && !beginsIdentifier) for (to = end + 1; kindAt(to) === letter;) to += 1
    add(at, to)
    at = to
  }
  return { terms, mayHaveForms }
}
