import { hash } from 'node:crypto'
import { mayBeSuperseded, supersededLine } from '#shared/markdown/superseded.ts'
import { withoutPrivateMarks, visibilityOf } from '#shared/markdown/visibility.ts'
import { unlessAppError } from '#shared/util/errors.ts'
import { cached } from '#shared/util/lazy.ts'
import { countWords, estimateTokens } from '#shared/util/tokens.ts'
import { marksBy, type NotePrivacy, type NotesFolder } from '#workspace/privacy'
import type { SimilarityModel } from '../embeddings/embedding-provider.ts'
import { textModelOf, type TextModelSource } from '../embeddings/create-embeddings.ts'
import type { FileContent, ScannedFile } from '../indexing/indexed-file.ts'
import { formatDay, parseDay, type DaySpan } from '../text/language/dates.ts'
import { lineKindsOf } from '../text/line-kinds.ts'
import { bigramsOf, fold, lineTerms } from '../text/terms.ts'
import { metadataOf, noMetadata, type PreparedMetadata } from './prepare-metadata.ts'
import { splitChunks, type Chunking } from './split-chunks.ts'
import { linesOf, splitLabel, splitUnits } from './split-units.ts'
import { daysOfPath, daysOfText } from './unit-days.ts'
import { flagsOf, unitFlags } from './unit-schema.ts'
import { headingSeparator, type Unit } from './unit.ts'

export interface UnitSettings {
  /** The index's embedding model, if vectors are computed from texts. */
  readonly model?: SimilarityModel | undefined
  readonly folders: readonly NotesFolder[]
  /** Undefined if units are entries. */
  readonly chunking?: Chunking | undefined
}

export interface PlainUnitSettings extends Omit<UnitSettings, 'model'> {
  readonly embedding: TextModelSource
}

export function unitSettingsOf({ embedding, ...settings }: PlainUnitSettings): UnitSettings {
  return { model: textModelOf(embedding), ...settings }
}

export interface PreparedUnit extends Unit {
  /** Equal for two units of one file if their contents and vectors are equal. */
  readonly hash: string
  readonly days: DaySpan | undefined
  readonly isPrivate: boolean
}

export interface UnitContent {
  readonly hash: string
  /** Distinct terms, separated by spaces. */
  readonly terms: string
  readonly headTerms: string
  /** Words of at least four letters, each followed by its term, separated by spaces. */
  readonly words: string
  /** Number of distinct terms, without single CJK characters. */
  readonly length: number
  readonly flags: number
}

/** Vectors of the contents, in their order; concatenated, because many small arrays are slow to send to a thread. */
export type PackedVectors = NonNullable<ReturnType<typeof pack>>

export interface PreparedContents {
  readonly contents: readonly UnitContent[]
  /** Undefined if the model is remote or can't be loaded. */
  readonly vectors: PackedVectors | undefined
}

export interface PreparedFile extends ScannedFile, PreparedContents {
  readonly words: number
  readonly tokens: number
  /** By the marks in the text: 0 if it has none, 1 if some lines are private, 2 if the whole file is. */
  readonly privacy: number
  readonly problem: string | null
  readonly metadata: PreparedMetadata
  readonly units: readonly PreparedUnit[]
}

/** Computes what the index stores of a file. @param known hashes of indexed units: their contents are left out */
export function prepareUnits(
  { text, lineDays, ...file }: FileContent,
  settings: UnitSettings,
  known: ReadonlySet<string> = new Set(),
): PreparedFile {
  const marks = marksBy(settings.folders)
  const privacy = marks.of(file.path, text)
  const openText = marks.openText(file.path, text)
  const metadata = isChat(file) ? noMetadata : metadataOf(text, openText)
  const [openNames, names] = [namesIn(metadata, false), namesIn(metadata, true)]
  const pathDays = daysOfPath(file.path, settings.folders)
  const findDays = lineDays ? daysByLine(lineDays) : daysByHeading(pathDays)
  const entries = isChat(file) ? messagesOf(text) : splitUnits(text)
  const chunks = settings.chunking && chunksOf(text, isChat(file), settings.chunking, privacy)
  const units = (chunks ?? entries).map((unit) => {
    const isPrivate = isPrivateUnit(unit, privacy)
    return {
      ...unit,
      hash: hashOfUnit(unit, isPrivate ? names : openNames, isPrivate),
      days: chunks ? daysWithin(unit, entries, findDays) : findDays(unit),
      isPrivate,
    }
  })
  const added = known.size === 0 ? units : units.filter((unit) => !known.has(unit.hash))
  const { contents, vectors } = prepareContents(added, { ...file, metadata }, settings)
  const [words, tokens] = [countWords(text), estimateTokens(text)]
  return { ...file, words, tokens, ...privacyOfText(text), metadata, units, contents, vectors }
}

function chunksOf(text: string, isOfChat: boolean, chunking: Chunking, { privateLines }: NotePrivacy): Unit[] {
  const lines = linesOf(text).map((line, at) => ({ line: at + 1, text: line }))
  const used = isOfChat ? lines.filter((line) => line.text !== '') : lines
  return splitChunks(used, chunking, (line) => privateLines.has(line - 1))
}

function daysWithin({ startLine, endLine }: Unit, entries: readonly Unit[], findDays: FindDays): DaySpan | undefined {
  const within = entries.filter((entry) => entry.startLine <= endLine && entry.endLine >= startLine)
  const spans = within.flatMap((entry) => findDays(entry) ?? [])
  const [firsts, lasts] = [spans.map(({ first }) => first), spans.map(({ last }) => last)]
  return spans.length === 0 ? undefined : { first: Math.min(...firsts), last: Math.max(...lasts) }
}

function privacyOfText(text: string): Pick<PreparedFile, 'privacy' | 'problem'> {
  const { isFullyPrivate, privateLines, problem = null } = visibilityOf(text)
  return { privacy: isFullyPrivate ? 2 : Math.min(1, privateLines.size), problem }
}

export function prepareContents(
  units: readonly PreparedUnit[],
  file: Pick<PreparedFile, 'path' | 'source' | 'metadata'>,
  { model, chunking, folders }: UnitSettings,
): PreparedContents {
  const distinct = [...new Map(units.map((unit) => [unit.hash, unit])).values()]
  const bodies = distinct.map(bodyOf)
  const [openHead, privateHead] = [false, true].map((isPrivate) => fileHeadOf(file, isPrivate, folders))
  const headTermsOf = cached((head: string) => [...termsOf(head).all].join(' '))
  const contents = distinct.map((unit, at): UnitContent => {
    const body = bodies[at] ?? ''
    const head = [unit.heading, unit.context, unit.isPrivate ? privateHead : openHead].filter(Boolean).join('\n')
    const { all, length, words } = termsOf(body)
    const isSuperseded = mayBeSuperseded(unit.text) && (!chunking || hasOnlySuperseded(unit.text))
    const flags = flagsOf(body) | (isSuperseded ? unitFlags.isSuperseded : 0)
    if ((flags & unitFlags.asks) === 0) for (const term of lineKindsOf(fold(body), fold(unit.heading))) all.add(term)
    return { hash: unit.hash, terms: [...all].join(' '), headTerms: headTermsOf(head), words, length, flags }
  })
  return { contents, vectors: model && pack(bodies, model) }
}

function hasOnlySuperseded(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || supersededLine(line) !== undefined)
}

/**
 * Returns the text that is searched and embedded: without speaker label, time and privacy mark. Of a superseded line,
 * only the struck text: its mark has the date and a quotation of another line.
 */
export function bodyOf({ text, label }: Pick<Unit, 'text' | 'label'>): string {
  const found = label === '' ? undefined : splitLabel(text)
  const body = found?.label === label ? found.rest : text
  const untimed = withoutPrivateMarks(body.replace(/^\d{1,2}:\d{2}\s+(?:-\s+)?/, ''))
  if (!mayBeSuperseded(untimed)) return untimed
  return untimed.replace(/.+/g, (line) => supersededLine(line)?.text ?? line)
}

export function unitHash(text: string): string {
  return hash('sha256', text)
}

/** Dimensions whose signs a code has. */
const maxCodeBits = 1024

/** Returns the signs of a vector's first dimensions, as `vec_bit` of sqlite-vec expects them. */
export function signCodeOf(vector: Float32Array): Buffer {
  const dimensions = Math.min(vector.length, maxCodeBits)
  const code = Buffer.alloc(Math.ceil(dimensions / 8))
  for (let at = 0; at < dimensions; at += 1)
    if ((vector[at] as number) > 0) code[at >>> 3] = (code[at >>> 3] as number) | (1 << (at & 7))
  return code
}

export function isChat({ source }: Pick<ScannedFile, 'source'>): boolean {
  return source === 'sessions'
}

function messagesOf(text: string): Unit[] {
  const lines = text.split('\n')
  return splitUnits(text).map((unit) => {
    const label = /^- (User|Assistant): /.exec(lines[unit.startLine - 1] ?? '')?.[1] ?? ''
    return { ...unit, label }
  })
}

function isPrivateUnit({ startLine, endLine }: Unit, { isFullyPrivate, privateLines }: NotePrivacy): boolean {
  if (isFullyPrivate || privateLines.size === 0) return isFullyPrivate
  for (let line = startLine; line <= endLine; line += 1) if (privateLines.has(line - 1)) return true
  return false
}

/** Length of a unit's hash: 72 bits in base64. It only distinguishes the units of one file. */
const hashLength = 12

function hashOfUnit({ text, context, heading, label, kind }: Unit, names: string, isPrivate: boolean): string {
  const parts = [text, context, heading, label, kind, names, isPrivate ? 'private' : ''].join('\0')
  return hash('sha256', parts, 'base64url').slice(0, hashLength)
}

type FindDays = (unit: Unit) => DaySpan | undefined

function daysByLine(lineDays: readonly (string | undefined)[]): FindDays {
  return ({ startLine }) => {
    const day = lineDays[startLine - 1]
    return day === undefined ? undefined : narrowest([{ first: parseDay(day), last: parseDay(day) }])
  }
}

/** Cheap test before dates are parsed: a text starts with a number, an English month or a non-ASCII character. */
const mayStartWithDate = /^[^\p{L}\p{N}]{0,12}(?:\p{N}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|[^\0-\x7f])/iu

/** Finds the days of a unit in its first line, in its headings and in the path of the note. */
function daysByHeading(pathDays: readonly DaySpan[]): FindDays {
  const spanOfTitle = cached((title: string) => narrowest(daysOfText({ heading: title, text: '' }, pathDays)) ?? null)
  return ({ heading, text, kind }) => {
    const title = kind === 'heading' ? [heading, text].filter(Boolean).join(headingSeparator) : heading
    const span = spanOfTitle(title) ?? undefined
    if (kind !== 'text' || !mayStartWithDate.test(text)) return span
    return narrowest(daysOfText({ heading: '', text: text.split('\n', 1)[0] ?? '' }, span ? [span] : []))
  }
}

/** Skips spans outside those before: a note of May that starts with a day in June only mentions that day. */
function narrowest(spans: readonly DaySpan[]): DaySpan | undefined {
  let span: DaySpan | undefined
  for (const next of spans) if (!span || (next.first >= span.first && next.last <= span.last)) span = next
  return span
}

/** Returns the names of a note, one a line; those in private lines only for private units. */
function namesIn({ names }: PreparedMetadata, isPrivate: boolean): string {
  return names.flatMap((entry) => (entry.isPrivate && !isPrivate ? [] : entry.name)).join('\n')
}

/** Returns names, path and day of a note for its open or private units. The paths of chats are random ids. */
function fileHeadOf(
  file: Pick<PreparedFile, 'path' | 'source' | 'metadata'>,
  isPrivate: boolean,
  folders: readonly NotesFolder[],
): string {
  if (isChat(file)) return ''
  const path = file.path.replace(/\.(?:md|markdown)$/i, '').replace(/[/\-_]/g, ' ')
  const days = daysOfPath(file.path, folders).flatMap(({ first, last }) => (first === last ? formatDay(first) : []))
  return [namesIn(file.metadata, isPrivate), path, ...days].filter(Boolean).join('\n')
}

/** @returns all distinct terms, and `length` and `words` as in `UnitContent` */
export function termsOf(text: string) {
  const all = new Set<string>()
  const letters = new Set<string>()
  const words = new Map<string, string>()
  for (const line of text.split('\n')) {
    const { terms, runs } = lineTerms(line, (word, term) => words.set(word, term))
    for (const term of terms) all.add(term)
    for (const run of runs) {
      const lettersOfRun = [...run]
      for (const letter of lettersOfRun) letters.add(letter)
      for (const bigram of bigramsOf(lettersOfRun)) all.add(bigram)
    }
  }
  for (const letter of letters) all.add(letter)
  return { all, length: all.size - letters.size, words: [...words].flat().join(' ') }
}

/** Returns undefined if the model can't be loaded: the embedder reports that error. */
function pack(bodies: readonly string[], model: SimilarityModel) {
  return unlessAppError(() => {
    const packed = bodies.map((body) => {
      const { vector, length } = model.vectorOf(model.tokensOf(body))
      return { length, code: signCodeOf(vector), dimensions: vector.length }
    })
    return {
      /** Lengths before normalization. */
      lengths: Float64Array.from(packed, ({ length }) => length),
      codes: Uint8Array.from(Buffer.concat(packed.map(({ code }) => code))),
      /** Length of a vector; 0 if there is none. */
      dimensions: packed.at(-1)?.dimensions ?? 0,
    }
  })
}
