import type { BrokenLink, FileKind } from '#shared/contract/index.ts'
import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { withoutMarks, withoutPrivateMarks } from '#shared/markdown/visibility.ts'
import { sectionsOf } from '#shared/markdown/sections.ts'
import {
  matchesQuote,
  mayBeSuperseded,
  strikeThrough,
  supersededLine,
  type Successor,
  supersededNote,
} from '#shared/markdown/superseded.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { unlessAppError } from '#shared/util/errors.ts'
import { formatDay, type Day } from '#search/text'
import { createLayout, localDate, memoryFolderPath, repairLink, toFileName } from '#workspace'
import { blocksOfNote } from '#shared/markdown/blocks/scan-blocks.ts'
import { lineEntry } from '#shared/markdown/log-entry.ts'
import { evidenceOf, lineFinding, type Finding } from '../suggestions/suggestion.ts'
import { deadlineIn } from './deadline.ts'

/** Skips done tasks and lines with children. */
export function findExpired(notes: readonly Note[], today: Day): Finding[] {
  return notes
    .filter(({ kind }) => kind !== 'project')
    .flatMap(statementsOf)
    .flatMap(({ note, line, raw, text, isParent }): Finding[] => {
      if (isParent || /x/i.test(leadOf(raw).box ?? '')) return []
      const deadline = deadlineIn(text, note.day)
      if (deadline === undefined || deadline >= today) return []
      const until = formatDay(deadline)
      const struckLine = strikeThrough(raw, { until, by: undefined })
      return [lineFinding('expired', { path: note.path, line, raw }, [struckLine], { day: until })]
    })
}

/** Proposes to replace broken links by the first of their `near` targets; skips links that have changed since. */
export function findBrokenLinks(notes: readonly Note[], broken: readonly BrokenLink[]): Finding[] {
  const texts = new Map(notes.map(({ path, text }) => [path, text]))
  return broken.flatMap(({ path, line, target, near: [replacement] }): Finding[] => {
    const text = texts.get(path) ?? ''
    const before = lineOf(text, line)
    if (before === undefined || replacement === undefined) return []
    const repaired = unlessAppError(() => repairLink(text, { path, line, target, by: replacement }))
    const after = repaired === undefined ? undefined : lineOf(repaired, line)
    if (after === undefined || after === before) return []
    return [lineFinding('broken', { path, line, raw: before }, [after], { target: replacement })]
  })
}

function lineOf(text: string, line: number): string | undefined {
  return text.split(/\r?\n/)[line - 1]
}

/** Part of the heading of text that was saved word for word, until the user has taken notes from it. */
const pendingVerbatimTitle = 'Kept word for word, waiting to be distilled'
const takenVerbatimTitle = 'Kept word for word, notes taken'

/** Proposes to end the wait of sections that were saved because no model was available. */
export function findPendingNotes(notes: readonly Note[]): Finding[] {
  return notes
    .filter(({ isRescued }) => isRescued)
    .flatMap(({ path, text }) =>
      text.split(/\r?\n/).flatMap((line, at): Finding[] => {
        if (!line.startsWith('## ') || !line.includes(pendingVerbatimTitle)) return []
        const taken = line.replace(pendingVerbatimTitle, takenVerbatimTitle)
        return [lineFinding('rescued', { path, line: at + 1, raw: line }, [taken], {})]
      }),
    )
}

/** Returns notes that no search has found; none if no recorded search is older than a year. @param now milliseconds since the epoch */
export function findNeverRetrieved(
  notes: readonly Note[],
  recalls: readonly { readonly at: number; readonly paths: readonly string[] }[],
  now: number,
): Finding[] {
  const oneYearAgo = now - 365 * 86_400_000
  if (!recalls.some(({ at }) => at < oneYearAgo)) return []
  const returnedPaths = new Set(recalls.flatMap(({ at, paths }) => (at >= oneYearAgo ? paths : [])))
  return notes
    .filter(
      (note) =>
        note.kind === 'note' && !note.isRescued && note.modifiedAt < oneYearAgo && !returnedPaths.has(note.path),
    )
    .flatMap(({ path, text, modifiedAt }): Finding[] => {
      const lines = text.split('\n')
      const first = lines.findIndex((line) => line.trim() !== '' && !/^\uFEFF?---/.test(line))
      if (first < 0) return []
      return [
        {
          rule: 'unrecalled',
          evidence: [evidenceOf(path, first + 1, lines[first] ?? '')],
          files: [],
          detail: { day: localDate(new Date(modifiedAt)) },
        },
      ]
    })
}

/** Maximum tokens of a section with its subsections; the rule proposes to move larger sections. */
const maxSectionTokens = 1000

export function findLargeSections(notes: readonly Note[]): Finding[] {
  const takenPaths = new Set(notes.map(({ path }) => path.toLowerCase()))
  return notes.filter(({ kind }) => kind === 'memory').flatMap((note) => largeSectionsOf(note, takenPaths))
}

function largeSectionsOf({ path, text }: Note, takenPaths: Set<string>): Finding[] {
  const lines = text.split(/\r?\n/)
  const folder = memoryFolderPath(createLayout(path.slice(0, Math.max(0, path.lastIndexOf('/')))))
  return sectionsOf(lines)
    .filter(({ level }) => level === 2)
    .flatMap(({ title, from, to }): Finding[] => {
      const section = lines.slice(from, to)
      const body = section.slice(0, section.findLastIndex((line) => line.trim() !== '') + 1)
      const tokens = estimateTokens(body.join('\n'))
      if (tokens <= maxSectionTokens || title === '') return []
      const target = freePath(`${folder}/${toFileName(withoutMarks(title), 'section')}`, takenPaths)
      const heading = lines[from - 1] ?? ''
      return [
        {
          rule: 'large',
          evidence: [evidenceOf(path, from, heading)],
          files: [
            { path, edits: [{ line: from, before: [heading, ...body], after: [heading, '', `- [${target}]`] }] },
            { path: target, edits: [{ line: 1, before: [], after: [`# ${withoutPrivateMarks(title)}`, ...body, ''] }] },
          ],
          detail: { tokens, target },
        },
      ]
    })
}

function freePath(stem: string, takenPaths: Set<string>): string {
  let path = `${stem}.md`
  for (let number = 2; takenPaths.has(path.toLowerCase()); number += 1) path = `${stem} ${number}.md`
  takenPaths.add(path.toLowerCase())
  return path
}

export function findStaleReferences(notes: readonly Note[]): Finding[] {
  const lines = new Map(notes.map(({ path, text }) => [path, text.split(/\r?\n/)]))
  return notes
    .filter(({ text }) => mayBeSuperseded(text))
    .flatMap(({ path }) =>
      (lines.get(path) ?? []).flatMap((raw, at): Finding[] => {
        const reference = supersededLine(raw)?.by
        const successor = reference && findSuccessor(path, reference, lines)
        if (!reference || !successor) return []
        const target = `${successor.written}:${successor.line}`
        const after = raw.replace(`[${reference.path}:${reference.line}`, () => `[${target}`)
        if (after === raw) return []
        const finding = lineFinding('drifted', { path, line: at + 1, raw }, [after], { target })
        const evidence = [...finding.evidence, evidenceOf(successor.path, successor.line, successor.text)]
        return [{ ...finding, evidence }]
      }),
    )
}

/** @returns `written`: path as in the struck line; undefined if the reference is correct or the target unclear */
function findSuccessor(
  notePath: string,
  { path, line, text }: Successor,
  lines: ReadonlyMap<string, readonly string[]>,
) {
  if (text === undefined || line === undefined) return undefined
  const folder = notePath.slice(0, notePath.lastIndexOf('/') + 1)
  const target = [path, folder + path].find((candidate) => lines.has(candidate))
  const targetLines = target === undefined ? [] : (lines.get(target) ?? [])
  if (matchesQuote(targetLines[line - 1] ?? '', text)) return undefined
  // The struck line quotes its successor but is not the successor.
  const inTarget = placesOf(target ?? path, targetLines, text).filter(
    (place) => place.path !== notePath || supersededLine(place.text)?.by?.text !== text,
  )
  const nearest = inTarget.toSorted((one, other) => Math.abs(one.line - line) - Math.abs(other.line - line))[0]
  if (nearest) return { ...nearest, written: path }
  const elsewhere = [...lines].flatMap(([other, texts]) => (other === target ? [] : placesOf(other, texts, text)))
  return elsewhere.length === 1 ? elsewhere[0] : undefined
}

function placesOf(path: string, lines: readonly string[], quote: string) {
  return lines.flatMap((text, at) => (matchesQuote(text, quote) ? [{ path, written: path, line: at + 1, text }] : []))
}

export interface Note {
  /** Relative to the workspace. */
  readonly path: string
  readonly kind: FileKind
  /** Day of a daily log; undefined for other notes. */
  readonly day: Day | undefined
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
  /** True for text that was saved verbatim without a model. */
  readonly isRescued: boolean
  readonly text: string
  readonly hash: string
}

export interface Statement {
  readonly note: Note
  /** 1-based. */
  readonly line: number
  readonly raw: string
  /** The line without markers of lists, quotations and tasks, and without the time of a log entry. */
  readonly text: string
  /** True if the next line belongs to it, such as a nested list item. */
  readonly isParent: boolean
  /** Titles of the headings above it, outermost first. */
  readonly headings: readonly string[]
}

const minCharacters = 8

/** Returns the statements of a note. Skips superseded notes and lines, headings, tables, code and front matter. */
export function statementsOf(note: Note): Statement[] {
  if (note.isRescued || supersededNote(note.text)) return []
  const lines = note.text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const result: Statement[] = []
  const headings: string[] = []
  for (const block of blocksOfNote(lines)) {
    if (block.kind === 'heading' && !block.parent) {
      headings.length = Math.min(headings.length, block.level - 1)
      headings[block.level - 1] = block.title
    }
    if (block.kind !== 'paragraph') continue
    for (let at = block.from; at < block.to; at += 1) {
      const raw = lines[at] ?? ''
      const text = lineEntry(raw)?.text ?? withoutLead(raw).trim()
      if (withoutMarks(text).trim().length < minCharacters || /^\s*(\||<!--)/.test(raw) || supersededLine(raw)) continue
      result.push({ note, line: at + 1, raw, text, isParent: isParent(lines, at), headings: headings.filter(Boolean) })
    }
  }
  return result
}

function isParent(lines: readonly string[], at: number): boolean {
  const [current = '', next = ''] = [lines[at], lines[at + 1]]
  if (next.trim() === '' || next.startsWith('#')) return false
  const indent = (line: string) => /^\s*/.exec(line)?.[0].length ?? 0
  return indent(next) > indent(current) || !(leadOf(next).isItem || /^\s*[>|]/.test(next))
}
