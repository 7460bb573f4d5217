/**
 * Source marks. Content from the web, MCP tools, attachments or other agents carries its source: per line as `^[web:
 * example.org, 2026-11-22]` at the end, or for a whole note as `source: "web: example.org, 2026-11-22"` in the front
 * matter. Imported notes have `imported: "notes, 2026-11-22"` and keep their own `source`. Text without a mark is by
 * the user or the agent itself.
 */
import { frontMatterOf } from './blocks/front-matter.ts'
import { scanBlocks } from './blocks/scan-blocks.ts'
import { lineEntry, listedFacts } from './log-entry.ts'

/** Source kinds trusted less than the user, least trusted first. */
export const sourceKinds = ['web', 'mcp', 'file', 'agent', 'import'] as const

export interface Source {
  readonly kind: (typeof sourceKinds)[number]
  readonly name: string
}

const kinds = sourceKinds.join('|')
const markPattern = new RegExp(`\\^\\[\\s*((?:${kinds}):[^\\]\\n]{1,300})\\]`, 'giu')
const sourceProperty = new RegExp(`^source:[ \\t]*["']?((?:${kinds}):[^"'\\n]{1,300})`, 'im')
const sourcePattern = new RegExp(`^\\s*(${kinds}):\\s*([^,]{1,100}?)(?: and \\d+ more)?\\s*(?:,|$)`, 'iu')
const importedProperty = /^imported:[ \t]*["']?([^"'\n,]{1,100})/im
const maxName = 60
/** Maximum number of sources that a mark names; “and N more” stands for the others. */
const maxNamedSources = 3

/** Formats a mark; without sources, it contains only the day. @param day `YYYY-MM-DD` */
export function sourceMark(sources: readonly Source[], day: string): string {
  return `^[${formatSources(sources, day)}]`
}

function formatSources(sources: readonly Source[], day: string): string {
  const names = leastTrustedFirst(sources).map(sourceName)
  if (names.length === 0) return day
  const suffix = names.length > maxNamedSources ? ` and ${names.length - maxNamedSources} more` : ''
  return `${names.slice(0, maxNamedSources).join('; ')}${suffix}, ${day}`
}

function leastTrustedFirst(sources: readonly Source[]): readonly Source[] {
  return sources.toSorted((one, other) => sourceKinds.indexOf(one.kind) - sourceKinds.indexOf(other.kind))
}

/** Returns true if a text with `marks` needs no new mark: they name only `sources`, and one has their least trusted kind. */
export function isCoveredBy(marks: readonly Source[], sources: readonly Source[]): boolean {
  const names = new Set(sources.map(sourceName))
  const hasLeastTrusted = leastTrustedFirst(marks)[0]?.kind === leastTrustedFirst(sources)[0]?.kind
  return hasLeastTrusted && marks.every((source) => names.has(sourceName(source)))
}

/** Formats a source: `web: example.org`. Sanitizes the name and cuts it to 60 characters. */
export function sourceName({ kind, name }: Source): string {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}._@/ -]+/gu, ' ')
    .replace(/^www\./i, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return `${kind}: ${[...plain].slice(0, maxName).join('') || 'unnamed'}`
}

/** Returns the sources of the whole note and of its lines, without duplicates. */
export function sourcesIn(text: string): Source[] {
  const marked = [...text.matchAll(markPattern)].flatMap(([, content]) => parseSources(content))
  return uniqueSources([...noteSources(text), ...marked])
}

/** Returns the sources that the front matter names, in `source` and `imported`. */
export function noteSources(text: string): Source[] {
  if (!/^(?:source|imported):/im.test(text)) return []
  const { from, to } = frontMatterOf(text) ?? { from: 0, to: 0 }
  const matter = text.slice(from, to)
  const imports = sourceOf('import', importedProperty.exec(matter)?.[1])
  return uniqueSources([...parseSources(sourceProperty.exec(matter)?.[1]), ...imports])
}

/** Parses `web: a.example; mcp: Tool and 2 more, 2026-11-22`. */
function parseSources(text = ''): Source[] {
  return text.split(';').flatMap((part) => {
    const [, kind, name] = sourcePattern.exec(part) ?? []
    return sourceOf(kind, name)
  })
}

function sourceOf(kind = '', name = ''): Source[] {
  const knownKind = sourceKinds.find((sourceKind) => sourceKind === kind.toLowerCase())
  return knownKind && name.trim() !== '' ? [{ kind: knownKind, name: name.trim() }] : []
}

export function uniqueSources(sources: readonly Source[]): Source[] {
  return [...new Map(sources.map((source) => [`${source.kind}: ${source.name}`, source])).values()]
}

export function hasSourceMark(line: string): boolean {
  return line.includes('^[') && sourcesIn(line).length > 0
}

/** Sets the `source` property of the whole note. @param day `YYYY-MM-DD` */
export function withSource(text: string, sources: readonly Source[], day: string): string {
  const line = `source: "${formatSources(sources, day)}"`
  const matter = frontMatterOf(text)
  if (!matter) return withProperty(text, line)
  const { from, to } = matter
  const otherProperties = text.slice(from, to).replace(/^source:[^\n]*\r?\n/m, '')
  return withProperty(text.slice(0, from) + otherProperties + text.slice(to), line)
}

/** Adds the `imported` property, unless the note has one. @param day `YYYY-MM-DD` */
export function withImport(text: string, name: string, day: string): string {
  const { from, to } = frontMatterOf(text) ?? { from: 0, to: 0 }
  if (importedProperty.test(text.slice(from, to))) return text
  return withProperty(text, `imported: "${sourceName({ kind: 'import', name }).slice('import: '.length)}, ${day}"`)
}

function withProperty(text: string, line: string): string {
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n'
  const start = frontMatterOf(text)?.from
  if (start !== undefined) return text.slice(0, start) + line + lineBreak + text.slice(start)
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  return [`${bom}---`, line, '---', '', text.slice(bom.length)].join(lineBreak)
}

/** Undoes `withImport`. Removes a front matter that has nothing else. */
export function withoutImport(text: string): string {
  const [start, bom = '', end = ''] = /^(\uFEFF?)---\r?\nimported: "[^"\n]*"\r?\n(---\r?\n\r?\n)?/.exec(text) ?? []
  if (start === undefined) return text
  if (end !== '') return bom + text.slice(start.length)
  const lineBreak = start.endsWith('\r\n') ? '\r\n' : '\n'
  return `${bom}---${lineBreak}${text.slice(start.length)}`
}

/**
 * Marks a note from another program at its first line, each item of a list of facts, and lines that look like entries.
 * Before a code block or a table, the mark has its own line.
 */
export function withSourceMark(note: string, mark: string): string {
  const lines = note.split('\n')
  const code = fencedLines(lines)
  const isText = (line: string) => /[^\s#>*+_=~`|:.-]/u.test(line)
  const first = Math.max(
    0,
    lines.findIndex((line) => isText(line) && !/^#{1,6}\s/.test(line)),
  )
  const isList = listedFacts(note) !== undefined
  const isMarked = (line: string, index: number) => isList || index === first || (lineEntry(line) && !code.has(index))
  const isOwnLine = code.has(first) || lines[first]?.startsWith('|') === true
  const marked = lines.map((line, index) =>
    isMarked(line, index) && !(index === first && isOwnLine) ? `${line.trimEnd()} ${mark}` : line,
  )
  if (isOwnLine) marked.splice(code.get(first) ?? first, 0, mark, '')
  return marked.join('\n')
}

/** Returns the 0-based lines of code blocks, each with the first line of its block. */
function fencedLines(lines: readonly string[]): Map<number, number> {
  const fences = scanBlocks(lines).filter(({ kind }) => kind === 'fence')
  return new Map(fences.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => [from + at, from])))
}

const entryHeading = /^##\s+\d{1,2}:\d{2}(?!\d)/

/** Returns the sources of the note, and the program that wrote the log entry of a line (1-based): see `withSourceMark`. */
export function sourcesOfLine(text: string, line: number): Source[] {
  const lines = text.split(/\r?\n/)
  // Most notes have no mark of a program.
  if (!text.includes('^[mcp:')) return noteSources(text)
  const code = fencedLines(lines)
  const start = lines
    .slice(0, line)
    .findLastIndex((one, index) => !code.has(index) && (entryHeading.test(one) || lineEntry(one)))
  const isHeading = entryHeading.test(lines[start] ?? '')
  const first = isHeading ? lines.slice(start + 1).find((one) => one.trim() !== '') : lines[start]
  const programs = start < 0 ? [] : sourcesIn(first ?? '').filter(({ kind }) => kind === 'mcp')
  return uniqueSources([...noteSources(text), ...programs])
}

/** Removes the marks of programs from the lines of log entries whose first line has the same mark. */
export function withoutRepeatedMarks(log: string): string {
  const lines = log.split('\n')
  const code = fencedLines(lines)
  let marks: readonly string[] = []
  let isFirst = false
  const cleaned = lines.flatMap((line, index) => {
    const isEntry = entryHeading.test(line) || lineEntry(line) !== undefined
    if (isEntry && !code.has(index)) [marks, isFirst] = [[], entryHeading.test(line)]
    if (isEntry || code.has(index) || line.trim() === '') return [line]
    if (isFirst) marks = line.match(programMark) ?? []
    const text = isFirst ? line : marks.reduce((kept, mark) => kept.replace(mark, ''), line)
    isFirst = false
    return text.trim() === '' ? [] : [text === line ? line : text.replace(/[ \t]+(?=\r?$)/, '')]
  })
  return cleaned.join('\n')
}

const programMark = /\^\[mcp: [^\]\n]{1,300}\]/g
