import { dot } from '../embedding-provider.ts'
import type { BuiltinModel } from './builtin-model.ts'

/**
 * Tokenizer of the built-in model; `vocabulary.py` does the same in training. A word is cut into its longest known
 * prefix and the longest known pieces after it, a run of CJK characters into the longest known words.
 */

const longestWord = 40
const longestCjk = 4
const cjk = '\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af'
const runs = new RegExp(`(?<cjk>[${cjk}]+)|[[\\p{L}\\p{N}]--[${cjk}]]+`, 'gv')

/** Folds a text: lower case, no accents and marks, compatibility forms replaced, traditional characters simplified. */
export function foldText(text: string, folds: BuiltinModel['folds']): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  let folded = ''
  const unaccented = text.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC')
  for (const character of unaccented) folded += folds.get(character) ?? character
  return folded.toLowerCase()
}

/**
 * Calls `onToken` for each token of a folded text, in order, with the UTF-16 offsets of its word (`end` exclusive). A
 * word without any known token has a negative number, made from its hash.
 */
export function forEachToken(
  text: string,
  { numbers }: Pick<BuiltinModel, 'numbers'>,
  onToken: (token: number, start: number, end: number) => void,
): void {
  for (const { 0: found, groups, index: start } of text.matchAll(runs)) {
    const isWord = groups?.['cjk'] === undefined
    const run = isWord ? found.slice(0, longestWord) : found
    let hasToken = false
    for (let at = 0, next = 0; at < run.length; at = next) {
      const prefix = isWord && at > 0 ? '##' : ''
      next = Math.min(run.length, at + (isWord ? longestWord : longestCjk))
      let token = numbers.get(prefix + run.slice(at, next))
      while (token === undefined && next > at + 1) token = numbers.get(prefix + run.slice(at, (next -= 1)))
      hasToken ||= token !== undefined
      if (!isWord) onToken(token ?? unknownToken(run.slice(at, next)), start + at, start + next)
      else if (token !== undefined) onToken(token, start, start + run.length)
    }
    if (isWord && !hasToken) onToken(unknownToken(run), start, start + run.length)
  }
}

function unknownToken(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return ~((hash >>> 0) >>> 1)
}

/** Added to a token that continues the word of the token before it. */
const continuing = 2 ** 16

export function tokensOf(model: BuiltinModel, text: string): Int32Array {
  const tokens: number[] = []
  let last = -1
  forEachToken(foldText(text, model.folds), model, (token, start) => {
    tokens.push(start === last ? token + continuing : token)
    last = start
  })
  return Int32Array.from(tokens)
}

export function endOfWord(tokens: Int32Array, start: number): number {
  let end = start + 1
  while ((tokens[end] ?? 0) >= continuing) end += 1
  return end
}

export function tokenNumber(token: number): number {
  return token >= continuing ? token - continuing : token
}

/**
 * Returns a vector of length 1, and its length before normalization: 0 for a text without words, whose
 * vector is the first unit vector.
 */
export function vectorOf(model: BuiltinModel, tokens: Int32Array): { vector: Float32Array; length: number } {
  const vector = new Float32Array(model.dimensions)
  addRows(model, tokens.filter((token) => token >= 0).map(tokenNumber), vector)
  for (const token of tokens) if (token < 0) addUnknownWord(token, vector)
  const length = Math.sqrt(dot(vector, vector))
  return { vector: scaleToUnit(vector), length }
}

export function embedText(model: BuiltinModel, text: string): Float32Array {
  return vectorOf(model, tokensOf(model, text)).vector
}

/** Adds a pseudo-random direction for an unknown word, so that it is similar only to itself. */
export function addUnknownWord(token: number, sum: Float32Array): void {
  const size = 1 / Math.sqrt(sum.length)
  let state = (~token << 1) | 1
  for (let column = 0; column < sum.length; column += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    sum[column] = (sum[column] as number) + (state < 0 ? -size : size)
  }
}

/** Adds the weighted rows of tokens to `sum`. The sum of one call is rounded once. */
export function addRows(
  { rows, weights, dimensions }: BuiltinModel,
  tokens: Iterable<number>,
  sum: Float32Array,
): void {
  const exact = Float64Array.from(sum)
  for (const token of tokens) {
    const weight = weights[token] as number
    const start = token * dimensions
    for (let column = 0; column < dimensions; column += 1)
      exact[column] = (exact[column] as number) + weight * (rows[start + column] as number)
  }
  sum.set(exact)
}

/** Scales a vector in place; a zero vector becomes the first unit vector. */
function scaleToUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  if (length === 0) vector[0] = 1
  else for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] as number) / length
  return vector
}

export type WeightedWord = ReturnType<typeof wordsOf>[number]

/** Returns the distinct words of a text; `weight` covers all occurrences. */
export function wordsOf(model: BuiltinModel, text: string) {
  const folded = foldText(text, model.folds)
  const tokens = new Map<string, number[]>()
  forEachToken(folded, model, (token, start, end) => {
    const word = folded.slice(start, end)
    tokens.set(word, [...(tokens.get(word) ?? []), token])
  })
  return [...tokens].map(([word, own]) => {
    const { vector, length } = vectorOf(model, Int32Array.from(own))
    const [first = 0] = own
    return {
      word,
      /** Length of the word's part of the text's vector. */
      weight: length,
      vector,
      /** The token of a word without any known one; such a word matches only itself. */
      ...(first < 0 ? { unknown: first } : {}),
    }
  })
}
