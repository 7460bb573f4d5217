import type { FoundFile } from '#workspace'

const numberWidth = 6
const shownLevels = 2

/** Lines `from` to `to` (1-based, inclusive; -1 for the last), each with its number before it. */
export function numbered(text: string, from: number, to: number): string[] {
  const lines = linesOf(text)
  const first = Math.max(1, from)
  const last = to < 0 ? lines.length : to
  return lines.slice(first - 1, last).map((line, index) => `${String(first + index).padStart(numberWidth)}\t${line}`)
}

/** The lines, 1-based, in which a passage begins. */
export function occurrences(text: string, passage: string): number[] {
  const lines: number[] = []
  for (let at = text.indexOf(passage); at >= 0; at = text.indexOf(passage, at + 1))
    lines.push(text.slice(0, at).split('\n').length)
  return lines
}

/**
 * @param after the line after which text is inserted; 0 for the beginning
 * @returns how many lines there were; `text` is undefined where there is no such line
 */
export function withInserted(text: string, after: number, inserted: string): { text?: string; lines: number } {
  const lines = linesOf(text)
  if (after < 0 || after > lines.length) return { lines: lines.length }
  const all = [...lines.slice(0, after), inserted.replace(/\n$/, ''), ...lines.slice(after)]
  return { text: `${all.join('\n')}\n`, lines: lines.length }
}

/**
 * A folder with what lies in it, two levels deep: sizes and names.
 * @param shown the folder as the model calls it
 * @param folder its path in the workspace
 * @param files all that lie below it
 */
export function listingOf(shown: string, folder: string, files: readonly FoundFile[]): string[] {
  const sizes = new Map<string, number>([['', 0]])
  for (const { path, size } of files) {
    const steps = path.slice(folder.length + 1).split('/')
    const parents = steps.slice(0, -1).map((_, index) => `${steps.slice(0, index + 1).join('/')}/`)
    for (const name of ['', ...parents, steps.join('/')]) sizes.set(name, (sizes.get(name) ?? 0) + size)
  }
  const isShown = (name: string) => name.replace(/\/$/, '').split('/').length <= shownLevels
  const names = [...sizes.keys()].filter(isShown).sort()
  return names.map((name) => `${sizeOf(sizes.get(name) ?? 0)}\t${name === '' ? shown : `${shown}/${name}`}`)
}

/** `512B`, `1.5K`, `4K`. */
function sizeOf(bytes: number): string {
  const units = ['B', 'K', 'M', 'G']
  const power = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)))
  return `${Number((bytes / 1024 ** power).toFixed(1))}${units[power]}`
}

/** What stands after the last line break is a line where there is something. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
