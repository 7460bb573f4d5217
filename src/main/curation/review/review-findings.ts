import type { LineEdit } from '#shared/contract/index.ts'
import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { noteSources, sourceMark } from '#shared/markdown/provenance.ts'
import { quoteOf, strikeThrough } from '#shared/markdown/superseded.ts'
import type { LoadedNote } from '../suggestions/accept-plan.ts'
import { evidenceOf, type Finding } from '../suggestions/proposal.ts'
import type { Verdict } from './review-answer.ts'
import { type ReviewLine, memorySections } from './candidates.ts'

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
  { kind, quotes: [old, holding], reason }: Extract<Verdict, { kind: 'superseded' | 'contradiction' }>,
  context: FindingContext,
): Promise<Finding | undefined> {
  const [oldLine, newLine] = [await findLine(old, context), await findLine(holding, context)]
  if (!oldLine || !newLine) return undefined
  const until =
    newLine.day !== undefined && (oldLine.day === undefined || newLine.day >= oldLine.day) ? newLine.day : context.today
  const struck = strikeThrough(oldLine.raw, {
    until,
    by: { path: newLine.path, line: newLine.line, text: quoteOf(newLine.raw) },
  })
  return {
    rule: kind === 'superseded' ? 'supersedes' : 'contradiction',
    evidence: [
      evidenceOf(oldLine.path, oldLine.line, oldLine.raw),
      evidenceOf(newLine.path, newLine.line, newLine.raw),
    ],
    files: [{ path: oldLine.path, edits: [{ line: oldLine.line, before: [oldLine.raw], after: [struck] }] }],
    detail: { day: until },
    reason,
  }
}

const mark = /\^\[[^\]\n]+\]/g

async function promotionFinding(
  { quotes, section, text, reason }: Extract<Verdict, { kind: 'promote' }>,
  context: FindingContext,
): Promise<Finding | undefined> {
  const { memoryPath } = context
  const lines: FoundLine[] = []
  for (const quote of quotes) {
    const line = await findLine(quote, context)
    if (!line) return undefined
    lines.push(line)
  }
  // A note with sources in its front matter passes them to each line.
  const whole = lines.flatMap(({ file }) => noteSources(file.text))
  const marks = new Set([
    ...lines.flatMap(({ raw }) => raw.match(mark) ?? []),
    ...whole.map((source) => sourceMark([source], context.today)),
  ])
  const bare = withoutLead(text.replace(mark, '')).trim()
  const addedLine = `- ${[bare, ...marks].join(' ')}`
  const memory = await context.read(memoryPath)
  if (memory?.lines.lines.some((line) => line.trim() === addedLine)) return undefined
  const edit = memory
    ? insertInto(memory, section, addedLine)
    : { line: 1, before: [], after: ['# Memory', '', addedLine, ''] }
  if (!edit || bare === '') return undefined
  return {
    rule: 'promote',
    evidence: lines.map(({ path, line, raw }) => evidenceOf(path, line, raw)),
    files: [{ path: memoryPath, edits: [edit] }],
    detail: { target: section },
    reason,
  }
}

function insertInto({ text, lines: { lines } }: LoadedNote, section: string, addedLine: string): LineEdit | undefined {
  const sections = memorySections(text)
  const known = sections.find(({ title }) => title === section)
  if (!known && sections.length > 0) return undefined
  const start = known ? known.from - 1 : -1
  let last = (known?.to ?? lines.length) - 1
  while (last > start && (lines[last] ?? '').trim() === '') last -= 1
  const anchor = lines[last]
  if (last < 0 || anchor === undefined) return { line: 1, before: [], after: [addedLine] }
  // Continues a list; after other text an empty line comes first.
  const { isItem } = leadOf(anchor)
  return { line: last + 1, before: [anchor], after: isItem ? [anchor, addedLine] : [anchor, '', addedLine] }
}

async function findLine(text: string, { lines, read }: FindingContext): Promise<FoundLine | undefined> {
  for (const known of lines.get(text) ?? []) {
    const file = await read(known.path)
    const line = file?.lines.find([known.raw], known.line)
    if (file && line !== undefined) return { ...known, line, file }
  }
  return undefined
}
