/**
 * Knows the words of all local lines again wherever they stand: quoted in a question, wrapped otherwise, in JSON, without
 * their marks, in part. Texts are compared by their letters and digits alone. A stretch that a text shares with a local
 * line is held back from `enough` letters on. A line that has fewer says something where it has a number in it; else it is
 * held back where it is a line of its own, for `Meeting notes` stands in too many sentences. Linear in the text. Pure.
 */
import { hasLocalMark, withoutLocalMark } from '#shared/markdown/visibility.ts'

/** What stands in the place of words that stay here. */
export const heldWords = '[stays on this machine]'

/** Letters of a block, and how many must agree around one: two lines that share twice a block share a whole one. */
const latin = { block: 12, enough: 20 }
/** A sign of Chinese says as much as three letters. */
const han = { block: 4, enough: 7 }
/** A short line with a number is known from so many letters on, if so many of them are digits. */
const numbered = { letters: 6, digits: 4 }

/** Letter or digit, as it is compared; 0 for everything else. By UTF-16 unit. */
let folded: Uint16Array | undefined

function fold(): Uint16Array {
  if (folded) return folded
  const table = new Uint16Array(65_536)
  for (let unit = 48; unit < 65_536; unit += 1) {
    // Halves of a pair are taken as they are: letters of rare scripts, and signs that may be all that a line has.
    if (unit >= 0xd8_00 && unit <= 0xdf_ff) table[unit] = unit
    else {
      const sign = String.fromCharCode(unit)
      if (!/[\p{L}\p{N}]/u.test(sign)) continue
      const plain = sign.normalize('NFKD').toLowerCase()
      // An accent may be a sign of its own; a syllable of Korean comes apart into letters.
      const base = /^[\p{L}\p{N}]\p{M}*$/u.test(plain) ? plain : sign.normalize('NFKC').toLowerCase()
      table[unit] = base.charCodeAt(0)
    }
  }
  folded = table
  return table
}

interface Letters {
  readonly units: Uint16Array
  /** Where each stands in the text. */
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

/** True where most of it is Chinese, Japanese or Korean. */
function isHan({ units, length }: Letters): boolean {
  let signs = 0
  for (let at = 0; at < length; at += 1) if ((units[at] ?? 0) > 0x2e_7f) signs += 1
  return signs * 2 >= length
}

/** Days and hours stand in every log. */
const moment = /\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}|\b(?:19|20)\d{2}\b/g

function hasNumber(line: string, { length }: Letters): boolean {
  const digits = line.replaceAll(moment, '').match(/\p{N}/gu)?.length ?? 0
  return length >= numbered.letters && digits >= numbered.digits
}

interface Line extends Letters {
  readonly path: string
  /** As many letters as must agree. */
  readonly enough: number
}

interface Block {
  readonly line: Line
  /** Where in the line it begins. */
  readonly at: number
  readonly size: number
}

export class LocalNet {
  /** By size and hash of their first letters. */
  readonly #blocks = new Map<number, Map<number, Block[]>>()
  /** The file that has it, by the letters of a short line; and whether it is a few plain words. */
  readonly #short = new Map<string, { readonly path: string; readonly isPlain: boolean }>()
  /** Different lines that are known. */
  readonly size: number

  /** @param lines that are local, as they stand in their notes */
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

  /** Whether anything of a local line stands in the text, or a mark. */
  holds(text: string): boolean {
    if (hasLocalMark(text)) return true
    return this.stretches(text).length > 0
  }

  /** The text without what is local. @param onHeld told of the file of each stretch that was taken out */
  withhold(text: string, onHeld: (path: string) => void = () => undefined, how: Withholding = {}): string {
    const found = this.stretches(text, how)
    if (found.length === 0) return text
    let rest = ''
    let from = 0
    for (const { start, end, path } of found) {
      rest += text.slice(from, start) + heldWords
      from = end
      onHeld(path)
    }
    return rest + text.slice(from)
  }

  /** What `withhold` takes out, in order, none touching another. */
  stretches(text: string, how: Withholding = {}): readonly Stretch[] {
    return this.size === 0 || text === '' ? [] : this.#found(text, how)
  }

  #addBlocks(line: Line & { readonly block: number }): void {
    const size = Math.min(line.block, line.length)
    for (let at = 0; at + size <= line.length; at += size) this.#add(line, at, size)
    // The end of a line is a block too, or what follows the last whole one would not be known.
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

  #found(text: string, { isNote = false, isTyped = false, known = nothingKnown }: Withholding): Stretch[] {
    const letters = lettersOf(text)
    const all: Stretch[] = !isNote && this.#short.size > 0 ? this.#shortLines(text, isTyped) : []
    for (const [size, blocks] of this.#blocks) all.push(...stretches(letters, size, blocks))
    const found = known.isEmpty ? all : all.filter(({ start, end }) => !known.have(text.slice(start, end)))
    found.sort((one, other) => one.start - other.start || other.end - one.end)
    const joined: Stretch[] = []
    for (const stretch of found) {
      const last = joined.at(-1)
      // Between two of a file there may be marks and spaces alone.
      const touches =
        last &&
        (stretch.start <= last.end ||
          (last.path === stretch.path && !/[\p{L}\p{N}\n]/u.test(text.slice(last.end, stretch.start))))
      if (touches) last.end = Math.max(last.end, stretch.end)
      else joined.push(stretch)
    }
    return joined
  }

  #shortLines(text: string, isTyped: boolean): Stretch[] {
    const found: Stretch[] = []
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

export interface Stretch {
  readonly start: number
  end: number
  readonly path: string
}

/** Words that whoever reads has said itself, without having been shown them: they are no secret to it. */
export class KnownWords {
  readonly #keys: readonly string[]

  constructor(texts: Iterable<string>) {
    this.#keys = [...new Set([...texts].map((text) => wholeKeyOf(lettersOf(text))))]
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0
  }

  /** Also as a part of what was said. */
  have(text: string): boolean {
    const key = wholeKeyOf(lettersOf(text))
    return this.#keys.some((known) => known.includes(key))
  }
}

const nothingKnown = new KnownWords([])

export interface Withholding {
  /** The user has typed it, for whoever gets it: `Thanks!` is no secret for standing in a local note as well. */
  readonly isTyped?: boolean
  /** What is local in it was taken out by its place: a short line is the note's own. */
  readonly isNote?: boolean
  readonly known?: KnownWords
}

/** Characters of a line that has few letters; a line of a table has many signs. */
const longestShort = 200

function first({ places }: Letters): number {
  return places[0] ?? 0
}

/** Where the letter before `length` ends. */
function endOf({ places }: Letters, length: number): number {
  return (places[length - 1] ?? 0) + 1
}

const base = 0x01_00_01_93

function hashAt(units: Uint16Array, at: number, size: number): number {
  let hash = 0
  for (let offset = 0; offset < size; offset += 1) hash = (Math.imul(hash, base) + (units[at + offset] ?? 0)) | 0
  return hash
}

/** A hash that rolls along the text; where it is known, the letters themselves are compared, and followed both ways. */
function stretches(letters: Letters, size: number, blocks: ReadonlyMap<number, readonly Block[]>): Stretch[] {
  const { units, places, length } = letters
  const found: Stretch[] = []
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

/** How far text and line agree around a place. */
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

/** At most three words as everybody writes them: no code, no password with a digit, a sign or odd capitals in it. */
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
