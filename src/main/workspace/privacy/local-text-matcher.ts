/**
 * Finds the text of local lines in any text: quoted, wrapped differently, in JSON, without marks, in part. Compares only
 * letters and digits. A match has at least `enough` letters. A shorter local line matches if it contains a number, and
 * otherwise only as a line of its own, since words such as `Meeting notes` are in many sentences. Linear time.
 */
import { hasLocalMark, withoutLocalMark } from '#shared/markdown/visibility.ts'

export const placeholder = '[stays on this machine]'

/** Letters of an indexed block, and of a match: a match of two block lengths contains a whole block. */
const latin = { block: 12, enough: 20 }
/** A Chinese character carries as much information as three letters. */
const han = { block: 4, enough: 7 }
/** Minimum letters of a short line with a number, and minimum digits among them. */
const numbered = { letters: 6, digits: 4 }

/** By UTF-16 unit: the letter or digit to compare; 0 for everything else. */
let folded: Uint16Array | undefined

function fold(): Uint16Array {
  if (folded) return folded
  const table = new Uint16Array(65_536)
  for (let unit = 48; unit < 65_536; unit += 1) {
    // Surrogates are compared unchanged: letters of rare scripts, and emoji, which may be the whole line.
    if (unit >= 0xd8_00 && unit <= 0xdf_ff) table[unit] = unit
    else {
      const sign = String.fromCharCode(unit)
      if (!/[\p{L}\p{N}]/u.test(sign)) continue
      const plain = sign.normalize('NFKD').toLowerCase()
      // NFKD separates accents, which are ignored; it also splits Korean syllables, which are not.
      const base = /^[\p{L}\p{N}]\p{M}*$/u.test(plain) ? plain : sign.normalize('NFKC').toLowerCase()
      table[unit] = base.charCodeAt(0)
    }
  }
  folded = table
  return table
}

interface Letters {
  readonly units: Uint16Array
  /** Index of each in the text. */
  readonly places: Uint32Array
  readonly length: number
}

function lettersOf(text: string): Letters {
  const table = fold()
  const units = new Uint16Array(text.length)
  const places = new Uint32Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = table[text.charCodeAt(at)] ?? 0
    if (unit === 0) continue
    units[length] = unit
    places[length] = at
    length += 1
  }
  return { units, places, length }
}

/** Returns true if at least half is Chinese, Japanese or Korean. */
function isHan({ units, length }: Letters): boolean {
  let signs = 0
  for (let at = 0; at < length; at += 1) if ((units[at] ?? 0) > 0x2e_7f) signs += 1
  return signs * 2 >= length
}

/** Dates and times, which every daily log contains. */
const moment = /\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}|\b(?:19|20)\d{2}\b/g

function hasNumber(line: string, { length }: Letters): boolean {
  const digits = line.replaceAll(moment, '').match(/\p{N}/gu)?.length ?? 0
  return length >= numbered.letters && digits >= numbered.digits
}

interface Line extends Letters {
  readonly path: string
  /** Minimum letters of a match. */
  readonly enough: number
}

interface Block {
  readonly line: Line
  /** Start in the line. */
  readonly at: number
  readonly size: number
}

export class LocalTextMatcher {
  /** By size and hash. */
  readonly #blocks = new Map<number, Map<number, Block[]>>()
  /** Short lines by their letters. */
  readonly #short = new Map<string, { readonly path: string; readonly isPlain: boolean }>()
  readonly size: number

  /** @param lines local lines, with their marks */
  constructor(lines: Iterable<{ readonly path: string; readonly text: string }>) {
    const known = new Set<string>()
    for (const { path, text } of lines) {
      const letters = lettersOf(withoutLocalMark(text))
      const key = keyOf(letters)
      if (letters.length === 0 || known.has(key)) continue
      known.add(key)
      const by = isHan(letters) ? han : latin
      if (letters.length >= by.enough || hasNumber(text, letters)) this.#addBlocks({ ...letters, path, ...by })
      else this.#short.set(key, { path, isPlain: isPlain(withoutLocalMark(text)) })
    }
    this.size = known.size
  }

  /** Returns true if the text contains local text or a privacy mark. */
  contains(text: string): boolean {
    if (hasLocalMark(text)) return true
    return this.matches(text).length > 0
  }

  /** Redacts local text. @param onHeld receives the path of the note of each match */
  redact(text: string, onHeld: (path: string) => void = () => undefined, how: MatchOptions = {}): string {
    const found = this.matches(text, how)
    if (found.length === 0) return text
    let rest = ''
    let from = 0
    for (const { start, end, path } of found) {
      rest += text.slice(from, start) + placeholder
      from = end
      onHeld(path)
    }
    return rest + text.slice(from)
  }

  /** Returns the matches in order; they do not touch. */
  matches(text: string, how: MatchOptions = {}): readonly TextMatch[] {
    return this.size === 0 || text === '' ? [] : this.#found(text, how)
  }

  #addBlocks(line: Line & { readonly block: number }): void {
    const size = Math.min(line.block, line.length)
    for (let at = 0; at + size <= line.length; at += size) this.#add(line, at, size)
    // The end of a line is a block too; otherwise text after the last whole block would not match.
    if (line.length % size > 0) this.#add(line, line.length - size, size)
  }

  #add(line: Line, at: number, size: number): void {
    let bySize = this.#blocks.get(size)
    if (!bySize) {
      bySize = new Map()
      this.#blocks.set(size, bySize)
    }
    const hash = hashAt(line.units, at, size)
    const known = bySize.get(hash)
    if (known) known.push({ line, at, size })
    else bySize.set(hash, [{ line, at, size }])
  }

  #found(text: string, { isNote = false, isTyped = false, known = nothingKnown }: MatchOptions): TextMatch[] {
    const letters = lettersOf(text)
    const all: TextMatch[] = !isNote && this.#short.size > 0 ? this.#shortLines(text, isTyped) : []
    for (const [size, blocks] of this.#blocks) all.push(...stretches(letters, size, blocks))
    const found = known.isEmpty ? all : all.filter(({ start, end }) => !known.have(text.slice(start, end)))
    found.sort((one, other) => one.start - other.start || other.end - one.end)
    const joined: TextMatch[] = []
    for (const stretch of found) {
      const last = joined.at(-1)
      // Matches of the same file are joined if only marks and spaces separate them.
      const touches =
        last &&
        (stretch.start <= last.end ||
          (last.path === stretch.path && !/[\p{L}\p{N}\n]/u.test(text.slice(last.end, stretch.start))))
      if (touches) last.end = Math.max(last.end, stretch.end)
      else joined.push(stretch)
    }
    return joined
  }

  #shortLines(text: string, isTyped: boolean): TextMatch[] {
    const found: TextMatch[] = []
    let from = 0
    for (const line of text.split(/(\r?\n|\\n)/)) {
      if (line.length > 0 && line.length < longestShort) {
        const letters = lettersOf(line)
        const known = letters.length > 0 && letters.length < latin.enough ? this.#short.get(keyOf(letters)) : undefined
        if (known && !(isTyped && known.isPlain))
          found.push({ path: known.path, start: from + first(letters), end: from + endOf(letters, letters.length) })
      }
      from += line.length
    }
    return found
  }
}

export interface TextMatch {
  readonly start: number
  end: number
  readonly path: string
}

/** Text that the reader wrote without having received it, so it is no secret. */
export class KnownWords {
  readonly #keys: readonly string[]

  constructor(texts: Iterable<string>) {
    this.#keys = [...new Set([...texts].map((text) => wholeKeyOf(lettersOf(text))))]
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0
  }

  /** Returns true if `text` is a part of it. */
  have(text: string): boolean {
    const key = wholeKeyOf(lettersOf(text))
    return this.#keys.some((known) => known.includes(key))
  }
}

const nothingKnown = new KnownWords([])

export interface MatchOptions {
  /** True if the user typed the text: `Thanks!` is no secret because a local note contains it too. */
  readonly isTyped?: boolean
  /** True for a note whose local lines are redacted already: its other short lines are public. */
  readonly isNote?: boolean
  readonly known?: KnownWords
}

/** Maximum characters of a line with few letters, such as the row of a table. */
const longestShort = 200

function first({ places }: Letters): number {
  return places[0] ?? 0
}

/** Returns the end of the letter before `length`. */
function endOf({ places }: Letters, length: number): number {
  return (places[length - 1] ?? 0) + 1
}

const base = 0x01_00_01_93

function hashAt(units: Uint16Array, at: number, size: number): number {
  let hash = 0
  for (let offset = 0; offset < size; offset += 1) hash = (Math.imul(hash, base) + (units[at + offset] ?? 0)) | 0
  return hash
}

/** Finds blocks by a rolling hash, compares their letters, and extends each match in both directions. */
function stretches(letters: Letters, size: number, blocks: ReadonlyMap<number, readonly Block[]>): TextMatch[] {
  const { units, places, length } = letters
  const found: TextMatch[] = []
  if (length < size) return found
  let power = 1
  for (let step = 1; step < size; step += 1) power = Math.imul(power, base)
  let hash = hashAt(units, 0, size)
  let covered = 0
  for (let at = 0; ; at += 1) {
    const candidates = at + size > covered ? blocks.get(hash) : undefined
    for (const { line, at: start } of candidates ?? []) {
      const [before, after] = reach(units, length, at, line, start, size)
      if (after - before < Math.min(line.length, line.enough)) continue
      covered = Math.max(covered, after)
      found.push({ path: line.path, start: places[before] ?? 0, end: endOf(letters, after) })
    }
    if (at + size >= length) return found
    hash = (Math.imul(hash - Math.imul(units[at] ?? 0, power), base) + (units[at + size] ?? 0)) | 0
  }
}

/** Returns the range of the text that equals the line around a block. */
function reach(
  units: Uint16Array,
  length: number,
  at: number,
  line: Letters,
  start: number,
  size: number,
): readonly [number, number] {
  for (let offset = 0; offset < size; offset += 1)
    if (units[at + offset] !== line.units[start + offset]) return [at, at]
  let before = 0
  while (before < at && before < start && units[at - before - 1] === line.units[start - before - 1]) before += 1
  let after = size
  while (at + after < length && start + after < line.length && units[at + after] === line.units[start + after])
    after += 1
  return [at - before, at + after]
}

/** Returns true for at most three ordinary words: no digits, symbols or unusual capitals, as in code or passwords. */
function isPlain(line: string): boolean {
  const said = line.replace(/^[\s>#*+-]+/, '').replace(/[\s.,:;!?…*_。！？，、：]+$/u, '')
  const words = said.split(/[\s,]+/)
  return words.length <= 3 && words.every((word) => /^[\p{L}\p{M}][\p{Ll}\p{Lo}\p{M}'’]*$/u.test(word))
}

function keyOf({ units, length }: Letters): string {
  return String.fromCharCode(...units.subarray(0, Math.min(length, 2000)))
}

function wholeKeyOf({ units, length }: Letters): string {
  return Array.from(units.subarray(0, length), (unit) => String.fromCharCode(unit)).join('')
}
