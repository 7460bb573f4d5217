import type { LineEdit } from '#shared/contract/index.ts'
import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { noteSources, sourceMark } from '#shared/markdown/provenance.ts'
import { evidenceOf, supersedingFinding, type Finding, type LoadedNote } from '../suggestions/proposal.ts'
import type { Verdict } from './review-answer.ts'
import { type ReviewLine, memorySections } from './review-input.ts'

export interface FindingContext {
  /** Keyed by `ReviewLine.text`. */
  readonly lines: ReadonlyMap<string, readonly ReviewLine[]>
  readonly memoryPath: string
  /** `YYYY-MM-DD`. */
  readonly today: string
  readonly read: (path: string) => Promise<LoadedNote | undefined>
}

/** Turns a verdict into a finding. @returns undefined if its lines are gone or it changes nothing */
export async function findingFor(verdict: Verdict, context: FindingContext): Promise<Finding | undefined> {
  return verdict.kind === 'promote' ? promotionFinding(verdict, context) : conflictFinding(verdict, context)
}

interface FoundLine extends ReviewLine {
  readonly file: LoadedNote
}

async function conflictFinding(
  { kind, quotes: [oldQuote, newQuote], reason }: Extract<Verdict, { kind: 'superseded' | 'contradiction' }>,
  context: FindingContext,
): Promise<Finding | undefined> {
  const [oldLine, newLine] = [await findLine(oldQuote, context), await findLine(newQuote, context)]
  if (!oldLine || !newLine) return undefined
  const until =
    newLine.day !== undefined && (oldLine.day === undefined || newLine.day >= oldLine.day) ? newLine.day : context.today
  const rule = kind === 'superseded' ? 'supersedes' : 'contradiction'
  return { ...supersedingFinding(oldLine, newLine, until, rule), reason }
}

const markPattern = /\^\[[^\]\n]+\]/g

async function promotionFinding(
  { quotes, section, text, reason }: Extract<Verdict, { kind: 'promote' }>,
  context: FindingContext,
): Promise<Finding | undefined> {
  const { memoryPath } = context
  const lines = await Array.fromAsync(quotes, (quote) => findLine(quote, context))
  if (!lines.every((line) => line !== undefined)) return undefined
  // Sources in the front matter of a note apply to each of its lines.
  const noteWideSources = lines.flatMap(({ file }) => noteSources(file.text))
  const marks = new Set([
    ...lines.flatMap(({ raw }) => raw.match(markPattern) ?? []),
    ...noteWideSources.map((source) => sourceMark([source], context.today)),
  ])
  const bareText = withoutLead(text.replace(markPattern, '')).trim()
  const addedLine = `- ${[bareText, ...marks].join(' ')}`
  const memory = await context.read(memoryPath)
  if (memory?.lines.lines.some((line) => line.trim() === addedLine)) return undefined
  const edit = memory
    ? insertionEdit(memory, section, addedLine)
    : { line: 1, before: [], after: ['# Memory', '', addedLine, ''] }
  if (!edit || bareText === '') return undefined
  return {
    rule: 'promote',
    evidence: lines.map(({ path, line, raw }) => evidenceOf(path, line, raw)),
    files: [{ path: memoryPath, edits: [edit] }],
    detail: { target: section },
    reason,
  }
}

function insertionEdit({ text, lines: { lines } }: LoadedNote, section: string, newLine: string): LineEdit | undefined {
  const sections = memorySections(text)
  const existing = sections.find(({ title }) => title === section)
  if (!existing && sections.length > 0) return undefined
  const last = lines.slice(0, existing?.to).findLastIndex((line) => line.trim() !== '')
  const anchor = lines[last]
  if (anchor === undefined) return { line: 1, before: [], after: [newLine] }
  // Continues a list; any other text is separated by an empty line.
  const { isItem } = leadOf(anchor)
  return { line: last + 1, before: [anchor], after: isItem ? [anchor, newLine] : [anchor, '', newLine] }
}

async function findLine(text: string, { lines, read }: FindingContext): Promise<FoundLine | undefined> {
  for (const reviewLine of lines.get(text) ?? []) {
    const file = await read(reviewLine.path)
    const line = file?.lines.find([reviewLine.raw], reviewLine.line)
    if (file && line !== undefined) return { ...reviewLine, line, file }
  }
  return undefined
}
