/**
 * Who may see a note (M64). `visibility: local` in the front matter keeps a note on this machine; `^[local]` at the end of
 * a heading keeps its section, at the end of any other line what that line belongs to: the paragraph, the item with what
 * is below it, the block of code. Any editor shows both. What cannot be understood counts as local, for that is the side on
 * which nothing is lost; `problem` says so. Pure and linear.
 */

export interface NoteVisibility {
  /** All of it stays on this machine. */
  readonly isWhole: boolean
  /** By 0-based line, where not all of it does; empty for a note that everybody may see. */
  readonly lines: ReadonlySet<number>
  /** What stands where `local` or `all` was to stand; it is taken for `local`. */
  readonly problem?: string
}

export const localMark = '^[local]'

const marked = /\^\[\s*local\s*\]/i
/** A look that costs nothing. */
const mayBeMarked = /\^\[\s*local|visibility/i

const nobody: NoteVisibility = { isWhole: false, lines: new Set() }

/** Front matter that never ends is looked through so far, in lines. */
const maxMatter = 500
const maxProblem = 60

export function hasLocalMark(line: string): boolean {
  return marked.test(line)
}

export function visibilityOf(text: string): NoteVisibility {
  if (!mayBeMarked.test(text)) return nobody
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const said = saidOf(lines)
  if (said !== undefined) {
    const { isLocal, problem } = readValue(said)
    if (isLocal) return { isWhole: true, lines: new Set(), ...(problem === undefined ? {} : { problem }) }
  }
  return marked.test(text) ? { isWhole: false, lines: markedLines(lines) } : nobody
}

/** The value in the front matter, or in the properties that Logseq writes first; undefined where nothing is said. */
function saidOf(lines: readonly string[]): string | undefined {
  const isMatter = /^---\s*$/.test(lines[0] ?? '')
  let found: string | undefined
  for (let at = isMatter ? 1 : 0; at < Math.min(lines.length, maxMatter); at += 1) {
    const line = lines[at] ?? ''
    if (isMatter ? /^(?:---|\.\.\.)\s*$/.test(line) : !isProperty(line)) break
    const value = isMatter ? matterValue(line) : /^[\s-]*visibility::\s*(.*)$/i.exec(line)?.[1]
    if (value === undefined) continue
    const whole = withoutComment(value) === '' ? belowIt(lines, at + 1) : value
    // Of two that differ the one that keeps more counts.
    if (found === undefined || !readValue(found).isLocal) found = whole
  }
  return found
}

/** Also where YAML would find a mistake: a full-width colon, tabs, a key in quotes or in braces. */
function matterValue(line: string): string | undefined {
  return /^(?:\s*\{.*?[{,])?[\s{]*["']?visibility["']?\s*[:：]+(.*)$/i.exec(line)?.[1]?.replace(/[,}][^,]*$/, '')
}

function isProperty(line: string): boolean {
  return /^[\s-]*[\p{L}_][\p{L}\p{N}_-]*::/u.test(line) || /^[\s-]*$/.test(line)
}

/** A value that begins on the next lines, indented or as a list. */
function belowIt(lines: readonly string[], from: number): string {
  const below: string[] = []
  for (let at = from; /^(?:\s+\S|-\s)/.test(lines[at] ?? ''); at += 1) below.push((lines[at] ?? '').trim())
  return below.join(' ')
}

function withoutComment(value: string): string {
  return value.replace(/(?:^|\s)#.*$/, '').trim()
}

function readValue(value: string): { readonly isLocal: boolean; readonly problem?: string } {
  const plain = withoutComment(value)
    .replace(/^["']|["']$/g, '')
    .trim()
  const key = plain.normalize('NFKC').toLowerCase()
  if (key === 'local') return { isLocal: true }
  if (key === 'all') return { isLocal: false }
  return { isLocal: true, problem: plain.slice(0, maxProblem).toWellFormed() }
}

type Kind = 'blank' | 'heading' | 'item' | 'fence' | 'text'

interface Line {
  readonly kind: Kind
  /** Of a heading, 1 to 6; of an item, columns of its indentation. */
  readonly level: number
  /** The block of code that it belongs to, by its first line. */
  readonly code: number | undefined
}

function markedLines(lines: readonly string[]): Set<number> {
  const known = linesOf(lines)
  const local = new Set<number>()
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) local.add(at)
  }
  for (const [at, line] of lines.entries()) {
    const info = known[at]
    if (!info || !marked.test(line)) continue
    if (info.code !== undefined) add(info.code, endOfCode(known, info.code))
    else if (info.kind === 'heading') add(at, endOfSection(known, at, info.level))
    else if (info.kind === 'item') add(at, endOfItem(known, lines, at, info.level))
    else add(startOfParagraph(known, lines, at), endOfParagraph(known, at))
  }
  return local
}

function linesOf(lines: readonly string[]): Line[] {
  let fence: { readonly mark: string; readonly from: number } | undefined
  return lines.map((line, at): Line => {
    const mark = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1]
    if (fence) {
      const { from } = fence
      if (mark?.startsWith(fence.mark) && /(?:`+|~+)\s*$/.test(line)) fence = undefined
      return { kind: 'fence', level: 0, code: from }
    }
    if (mark !== undefined) {
      fence = { mark, from: at }
      return { kind: 'fence', level: 0, code: at }
    }
    const own = { code: undefined }
    if (line.trim() === '') return { ...own, kind: 'blank', level: 0 }
    const marks = /^ {0,3}(#{1,6})(?=\s|$)/.exec(line)?.[1]
    if (marks !== undefined) return { ...own, kind: 'heading', level: marks.length }
    const under = /^ {0,3}(=+|-+)\s*$/.exec(lines[at + 1] ?? '')?.[1]
    const item = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s/.exec(line)?.[1]
    if (item !== undefined) return { ...own, kind: 'item', level: columns(item) }
    // A title over a line of its own: `===`, or `---` with text above it.
    if (under !== undefined && at > 0) return { ...own, kind: 'heading', level: under.startsWith('=') ? 1 : 2 }
    return { ...own, kind: 'text', level: 0 }
  })
}

function columns(space: string): number {
  return [...space].reduce((sum, sign) => sum + (sign === '\t' ? 4 : 1), 0)
}

function endOfCode(known: readonly Line[], from: number): number {
  let end = from
  while (end < known.length && known[end]?.code === from) end += 1
  return end
}

function endOfSection(known: readonly Line[], from: number, level: number): number {
  let end = from + 1
  for (; end < known.length; end += 1) {
    const line = known[end]
    if (line?.kind === 'heading' && line.level <= level) break
  }
  return end
}

/** Its own further lines, and what is further in. */
function endOfItem(known: readonly Line[], lines: readonly string[], from: number, level: number): number {
  let end = from + 1
  for (let at = end; at < known.length; at += 1) {
    const kind = known[at]?.kind
    if (kind === 'blank') continue
    if (kind === 'heading') break
    const isBehindBlank = known[at - 1]?.kind === 'blank'
    const depth = columns(/^\s*/.exec(lines[at] ?? '')?.[0] ?? '')
    if (depth <= level && (kind === 'item' || kind === 'fence' || isBehindBlank)) break
    end = at + 1
  }
  return end
}

function startOfParagraph(known: readonly Line[], lines: readonly string[], from: number): number {
  let start = from
  while (start > 0 && known[start - 1]?.kind === 'text' && !/^---\s*$/.test(lines[start - 1] ?? '')) start -= 1
  // Words that go on in the lines below an item are the item's.
  return start > 0 && known[start - 1]?.kind === 'item' ? start - 1 : start
}

function endOfParagraph(known: readonly Line[], from: number): number {
  let end = from + 1
  while (end < known.length && known[end]?.kind === 'text') end += 1
  return end
}

/** What a remote model is shown where a line stays here: as many lines as there were, so that numbers stay right. */
export const heldLine = '[stays on this machine]'

/** The text with its local lines held back, and how many those are. */
export function withoutLocal(
  text: string,
  visibility: NoteVisibility,
): { readonly text: string; readonly held: number } {
  if (!visibility.isWhole && visibility.lines.size === 0) return { text, held: 0 }
  const lines = text.split('\n')
  let held = 0
  const shown = lines.map((line, at) => {
    if (!visibility.isWhole && !visibility.lines.has(at)) return line
    if (line.trim() === '') return line
    held += 1
    return heldLine
  })
  return { text: shown.join('\n'), held }
}
