import type { LineEdit } from '#shared/contract/index.ts'
import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { noteSources, sourceMark } from '#shared/markdown/provenance.ts'
import { quoteOf, strikeThrough } from '#shared/markdown/superseded.ts'
import type { ReadFile } from '../suggestions/accept-plan.ts'
import { evidenceOf, type Finding } from '../suggestions/proposal.ts'
import type { Verdict } from './review-answer.ts'
import { type ReviewLine, memorySections } from './candidates.ts'

export interface FindingContext {
  /** Keyed by `ReviewLine.text`. */
  readonly lines: ReadonlyMap<string, readonly ReviewLine[]>
  /** Path of MEMORY.md. */
  readonly longTerm: string
  /** `YYYY-MM-DD`. */
  readonly today: string
  readonly read: (path: string) => Promise<ReadFile | undefined>
}

/** Turns a verdict into a finding. @returns undefined if its lines are gone or it changes nothing */
export async function findingFor(verdict: Verdict, context: FindingContext): Promise<Finding | undefined> {
  return verdict.kind === 'promote' ? promoted(verdict, context) : conflict(verdict, context)
}

interface Placed extends ReviewLine {
  readonly file: ReadFile
}

async function conflict(
  { kind, quotes: [old, holding], reason }: Extract<Verdict, { kind: 'superseded' | 'contradiction' }>,
  context: FindingContext,
): Promise<Finding | undefined> {
  const [was, is] = [await placed(old, context), await placed(holding, context)]
  if (!was || !is) return undefined
  const until = is.day !== undefined && (was.day === undefined || is.day >= was.day) ? is.day : context.today
  const struck = strikeThrough(was.raw, { until, by: { path: is.path, line: is.line, text: quoteOf(is.raw) } })
  return {
    rule: kind === 'superseded' ? 'supersedes' : 'contradiction',
    evidence: [evidenceOf(was.path, was.line, was.raw), evidenceOf(is.path, is.line, is.raw)],
    files: [{ path: was.path, edits: [{ line: was.line, before: [was.raw], after: [struck] }] }],
    detail: { day: until },
    reason,
  }
}

/** Source marks, which a promoted line keeps. */
const mark = /\^\[[^\]\n]+\]/g

async function promoted(
  { quotes, section, text, reason }: Extract<Verdict, { kind: 'promote' }>,
  context: FindingContext,
): Promise<Finding | undefined> {
  const { longTerm } = context
  const lines: Placed[] = []
  for (const quote of quotes) {
    const line = await placed(quote, context)
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
  const made = `- ${[bare, ...marks].join(' ')}`
  const memory = await context.read(longTerm)
  if (memory?.lines.lines.some((line) => line.trim() === made)) return undefined
  const edit = memory ? addedTo(memory, section, made) : { line: 1, before: [], after: ['# Memory', '', made, ''] }
  if (!edit || bare === '') return undefined
  return {
    rule: 'promote',
    evidence: lines.map(({ path, line, raw }) => evidenceOf(path, line, raw)),
    files: [{ path: longTerm, edits: [edit] }],
    detail: { target: section },
    reason,
  }
}

function addedTo({ text, lines: { lines } }: ReadFile, section: string, made: string): LineEdit | undefined {
  const sections = memorySections(text)
  const known = sections.find(({ title }) => title === section)
  if (!known && sections.length > 0) return undefined
  const start = known ? known.from - 1 : -1
  let last = (known?.to ?? lines.length) - 1
  while (last > start && (lines[last] ?? '').trim() === '') last -= 1
  const anchor = lines[last]
  if (last < 0 || anchor === undefined) return { line: 1, before: [], after: [made] }
  // Continues a list; after other text an empty line comes first.
  const { isItem } = leadOf(anchor)
  return { line: last + 1, before: [anchor], after: isItem ? [anchor, made] : [anchor, '', made] }
}

async function placed(text: string, { lines, read }: FindingContext): Promise<Placed | undefined> {
  for (const known of lines.get(text) ?? []) {
    const file = await read(known.path)
    const line = file?.lines.find([known.raw], known.line)
    if (file && line !== undefined) return { ...known, line, file }
  }
  return undefined
}
