/**
 * Tokenizer of the built-in model (resources/models/builtin/README.md; `vocabulary.py` does the same in training).
 * Folds a text, cuts it into words and CJK runs, and each of them into tokens. A word is one token if the vocabulary
 * has it, otherwise its longest known prefix and the longest known pieces of the rest. A CJK run is cut into the
 * longest known words. Text without any known token becomes `unknownToken`. Pure.
 */

/** The vocabulary, by the hashes of `hashOf`. */
export interface TokenTable {
  /** Returns the token's number, or -1. `length` is in UTF-16 units. */
  find(hash: number, length: number): number
  /** Maps traditional characters to simplified ones. */
  readonly folds: ReadonlyMap<string, string>
}

export interface TokenSpan {
  readonly token: number
  /** UTF-16 offsets of the word in the folded text; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

/** Token numbers are below this. In digests, higher 16-bit values have another meaning: see `digest.ts`. */
export const multiTokenMarker = 0xff_00
const longestWord = 40
const longestCjk = 4
const cjk = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/
const letter = /[\p{L}\p{N}]/u

/** Folds a text: lower case, no accents and marks, compatibility forms replaced, traditional characters simplified. */
export function foldText(text: string, folds: TokenTable['folds']): string {
  if (isAscii(text)) return text.toLowerCase()
  let folded = ''
  for (const sign of text.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC')) folded += folds.get(sign) ?? sign
  return folded.toLowerCase()
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false
  return true
}

/** Returned instead of a token for text without any known token. */
export const unknownToken = -1

/** Returns the tokens of a folded text, in order. */
export function tokenSpans(text: string, table: TokenTable): TokenSpan[] {
  const spans: TokenSpan[] = []
  forEachToken(text, table, (token, start, end) => spans.push({ token, start, end }))
  return spans
}

/** Called with a token, or `unknownToken`, and the UTF-16 offsets of its word; `end` is exclusive. */
type EachToken = (token: number, start: number, end: number) => void

export function forEachToken(text: string, table: TokenTable, each: EachToken): void {
  forEachRun(text, (isCjk, start, end, hash) => {
    if (isCjk) return cutCjk(text, start, end, table, each)
    const token = wholeToken(table, end - start, hash)
    if (token >= 0) each(token, start, end)
    else cutWord(text, start, end, table, each)
  })
}

/** Calls back for each word and CJK run of a folded text, in order, with UTF-16 offsets (`end` exclusive) and hash. */
export function forEachRun(
  text: string,
  each: (isCjk: boolean, start: number, end: number, hash: number) => void,
): void {
  let at = 0
  while (at < text.length) {
    const kind = kindAt(text, at)
    const start = at
    let hash = basis
    do {
      hash = Math.imul(hash ^ text.charCodeAt(at), prime)
      at += 1
    } while (at < text.length && kindAt(text, at) === kind)
    if (kind > 0) each(kind === cjkKind, start, at, hash >>> 0)
  }
}

/** Returns the token of a whole word of `length` UTF-16 units, or -1 if the vocabulary does not have it. */
export function wholeToken(table: TokenTable, length: number, hash: number): number {
  return length > longestWord ? -1 : table.find(hash, length)
}

const wordKind = 1
const cjkKind = 2

/** Returns 0 for separators. Both halves of a surrogate pair have the same kind. */
function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) ? wordKind : 0
  if (code >= 0xd800 && code <= 0xdfff) return letter.test(characterAt(text, at)) ? wordKind : 0
  const sign = text[at] ?? ''
  return cjk.test(sign) ? cjkKind : letter.test(sign) ? wordKind : 0
}

function characterAt(text: string, at: number): string {
  const code = text.charCodeAt(at)
  return code < 0xdc00 ? text.slice(at, at + 2) : text.slice(at - 1, at + 1)
}

/** Cuts a word that is not a token itself. */
export function cutWord(text: string, start: number, end: number, table: TokenTable, each: EachToken): void {
  cutLongestTokens(text, start, Math.min(end, start + longestWord), longestWord, true, table, each)
}

export function cutCjk(text: string, start: number, end: number, table: TokenTable, each: EachToken): void {
  cutLongestTokens(text, start, end, longestCjk, false, table, each)
}

const hashes = new Uint32Array(longestWord + 1)

/** Cuts off the longest token repeatedly. A character that begins no token is skipped. */
function cutLongestTokens(
  text: string,
  start: number,
  end: number,
  maxLength: number,
  isWord: boolean,
  table: TokenTable,
  each: EachToken,
): void {
  let at = start
  let hasToken = false
  while (at < end) {
    const isContinuation = isWord && at > start
    const reach = Math.min(end - at, maxLength)
    let hash = isContinuation ? continuationBasis : basis
    for (let length = 1; length <= reach; length += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at + length - 1), prime) >>> 0
      hashes[length] = hash
    }
    let found = 1
    for (let length = reach; length > 0; length -= 1) {
      const token = table.find(hashes[length] ?? 0, length + (isContinuation ? 2 : 0))
      if (token < 0) continue
      if (isWord) each(token, start, end)
      else each(token, at, at + length)
      found = length
      hasToken = true
      break
    }
    if (!isWord && !hasToken) each(unknownToken, at, at + 1)
    hasToken &&= isWord
    at += found
  }
  if (isWord && !hasToken) each(unknownToken, start, end)
}

const basis = 0x811c9dc5
const prime = 0x01000193
/** Hash of `##`, the prefix of pieces within a word. */
const continuationBasis = hashOf('##', 0, 2)

/** Called with the offset of a line's first byte, its hash as in `hashOf`, and its length in UTF-16 units. */
type EachLine = (start: number, hash: number, length: number) => void

const newline = 0x0a

/** Reads the lines of the UTF-8 bytes from `from` to `to` (exclusive) without creating strings. */
export function forEachLine(bytes: Uint8Array, from: number, to: number, each: EachLine): void {
  let start = from
  let hash = basis
  let length = 0
  for (let at = from; at < to;) {
    const first = bytes[at] ?? 0
    if (first === newline) {
      each(start, hash >>> 0, length)
      at += 1
      start = at
      hash = basis
      length = 0
      continue
    }
    const more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3
    let code = more === 0 ? first : first & (0x3f >> more)
    for (let next = 1; next <= more; next += 1) code = (code << 6) | ((bytes[at + next] ?? 0) & 0x3f)
    at += more + 1
    if (code > 0xff_ff) {
      hash = Math.imul(hash ^ (0xd7c0 + (code >> 10)), prime)
      code = 0xdc00 | (code & 0x3ff)
      length += 1
    }
    hash = Math.imul(hash ^ code, prime)
    length += 1
  }
  each(start, hash >>> 0, length)
}

/** Returns the unsigned 32-bit FNV-1a hash of the UTF-16 units from `start` to `end` (exclusive). */
export function hashOf(text: string, start = 0, end = text.length): number {
  let hash = basis
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), prime)
  return hash >>> 0
}
