/**
 * Tokenizer of the built-in model (resources/models/builtin/README.md; `vocabulary.py` does the same in training).
 * Folds a text, cuts it into words and CJK runs, and cuts each of them into tokens. A word that the vocabulary lacks is
 * cut into its longest known prefix and the longest known pieces after it, a CJK run into the longest known words. Pure.
 */

/** The vocabulary. `hashOf` computes the hashes. */
export interface TokenTable {
  /** Returns the token's number, or -1. `length` is in UTF-16 units. */
  find(hash: number, length: number): number
  /** Maps traditional characters to simplified ones. */
  readonly folds: ReadonlyMap<string, string>
}

/** Token numbers are below this. */
export const maxTokens = 0xff_00
const longestWord = 40
const longestCjk = 4
const cjk = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/
const letter = /[\p{L}\p{N}]/u

/** Folds a text: lower case, no accents and marks, compatibility forms replaced, traditional characters simplified. */
export function foldText(text: string, folds: TokenTable['folds']): string {
  if (isAscii(text)) return text.toLowerCase()
  let folded = ''
  const unaccented = text.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC')
  for (const character of unaccented) folded += folds.get(character) ?? character
  return folded.toLowerCase()
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 127) return false
  return true
}

/**
 * Called with a token and the UTF-16 offsets of its word; `end` is exclusive. Text without any known token has a
 * negative number, made from its hash.
 */
type OnToken = (token: number, start: number, end: number) => void

function unknownToken(text: string, start: number, end: number): number {
  return ~(hashOf(text, start, end) >>> 1)
}

/** Calls `onToken` for each token of a folded text, in order. */
export function forEachToken(text: string, table: TokenTable, onToken: OnToken): void {
  forEachRun(text, (isCjk, start, end, hash) => {
    if (isCjk) return cutLongestTokens(text, start, end, longestCjk, false, table, onToken)
    const token = end - start > longestWord ? -1 : table.find(hash, end - start)
    if (token >= 0) return onToken(token, start, end)
    // A word that is not a token itself.
    cutLongestTokens(text, start, Math.min(end, start + longestWord), longestWord, true, table, onToken)
  })
}

/** Calls `onRun` for each word and CJK run of a folded text, in order, with UTF-16 offsets (`end` exclusive) and hash. */
function forEachRun(text: string, onRun: (isCjk: boolean, start: number, end: number, hash: number) => void): void {
  let index = 0
  while (index < text.length) {
    const kind = kindAt(text, index)
    const start = index
    let hash = hashBasis
    do {
      hash = Math.imul(hash ^ text.charCodeAt(index), hashPrime)
      index += 1
    } while (index < text.length && kindAt(text, index) === kind)
    if (kind > 0) onRun(kind === cjkKind, start, index, hash >>> 0)
  }
}

const wordKind = 1
const cjkKind = 2

/** Returns 0 for separators. Both halves of a surrogate pair have the same kind. */
function kindAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) ? wordKind : 0
  if (code >= 0xd800 && code <= 0xdfff) return letter.test(characterAt(text, index)) ? wordKind : 0
  const character = text[index] ?? ''
  return cjk.test(character) ? cjkKind : letter.test(character) ? wordKind : 0
}

function characterAt(text: string, index: number): string {
  const code = text.charCodeAt(index)
  return code < 0xdc00 ? text.slice(index, index + 2) : text.slice(index - 1, index + 1)
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
  onToken: OnToken,
): void {
  let index = start
  let hasToken = false
  while (index < end) {
    const isContinuation = isWord && index > start
    const maxHere = Math.min(end - index, maxLength)
    let hash = isContinuation ? continuationBasis : hashBasis
    for (let length = 1; length <= maxHere; length += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(index + length - 1), hashPrime) >>> 0
      hashes[length] = hash
    }
    let advance = 1
    for (let length = maxHere; length > 0; length -= 1) {
      const token = table.find(hashes[length] ?? 0, length + (isContinuation ? 2 : 0))
      if (token < 0) continue
      if (isWord) onToken(token, start, end)
      else onToken(token, index, index + length)
      advance = length
      hasToken = true
      break
    }
    if (!isWord && !hasToken) onToken(unknownToken(text, index, index + 1), index, index + 1)
    hasToken &&= isWord
    index += advance
  }
  if (isWord && !hasToken) onToken(unknownToken(text, start, end), start, end)
}

const hashBasis = 0x811c9dc5
const hashPrime = 0x01000193
/** Hash of `##`, the prefix of pieces within a word. */
const continuationBasis = hashOf('##', 0, 2)

/** Called with the offset of a line's first byte, its hash as in `hashOf`, and its length in UTF-16 units. */
type OnLine = (start: number, hash: number, length: number) => void

const newline = 0x0a

/** Reads the lines of the UTF-8 bytes from `from` to `to` (exclusive) without creating strings. */
export function forEachLine(bytes: Uint8Array, from: number, to: number, onLine: OnLine): void {
  let start = from
  let hash = hashBasis
  let length = 0
  for (let index = from; index < to;) {
    const firstByte = bytes[index] ?? 0
    if (firstByte === newline) {
      onLine(start, hash >>> 0, length)
      index += 1
      start = index
      hash = hashBasis
      length = 0
      continue
    }
    const extraBytes = firstByte < 0x80 ? 0 : firstByte < 0xe0 ? 1 : firstByte < 0xf0 ? 2 : 3
    let code = extraBytes === 0 ? firstByte : firstByte & (0x3f >> extraBytes)
    for (let offset = 1; offset <= extraBytes; offset += 1) code = (code << 6) | ((bytes[index + offset] ?? 0) & 0x3f)
    index += extraBytes + 1
    if (code > 0xff_ff) {
      hash = Math.imul(hash ^ (0xd7c0 + (code >> 10)), hashPrime)
      code = 0xdc00 | (code & 0x3ff)
      length += 1
    }
    hash = Math.imul(hash ^ code, hashPrime)
    length += 1
  }
  onLine(start, hash >>> 0, length)
}

/** Returns the unsigned 32-bit FNV-1a hash of the UTF-16 units from `start` to `end` (exclusive). */
export function hashOf(text: string, start = 0, end = text.length): number {
  let hash = hashBasis
  for (let index = start; index < end; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), hashPrime)
  return hash >>> 0
}
