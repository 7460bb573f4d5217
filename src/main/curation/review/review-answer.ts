import { z } from 'zod'
import { join } from 'node:path'
import { scanBlocks } from '#shared/markdown/blocks/scan-blocks.ts'
import { parseJson } from '#shared/util/json.ts'
import type { LineEdit, ReviewEstimate } from '#shared/contract/index.ts'
import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { sourceMark, sourcesOfLine } from '#shared/markdown/provenance.ts'
import { appendDurably, readRows } from '#platform'
import type { ReviewBatch } from './review-units.ts'
import { evidenceOf, supersedingFinding, type Finding, type LoadedNote } from '../suggestions/suggestion.ts'
import { type ReviewLine, memorySections } from './review-input.ts'

const lineSchema = z
  .string()
  .trim()
  .min(1)
  .max(2000)
  .regex(/^[^\r\n]*$/)
const reasonSchema = z.string().trim().max(600)

const conflictSchema = z.strictObject({
  kind: z.enum(['superseded', 'contradiction']),
  old: lineSchema,
  new: lineSchema,
  reason: reasonSchema.default(''),
})
const promotionSchema = z.strictObject({
  quotes: z.array(lineSchema).min(1).max(20),
  section: z.string().trim().max(200),
  text: lineSchema.max(600),
  reason: reasonSchema.default(''),
})

/** A model's verdict on some lines. It quotes the lines, so it stays valid when they move. */
const reviewVerdictSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.enum(['superseded', 'contradiction']),
    quotes: z.tuple([z.string(), z.string()]),
    reason: z.string(),
  }),
  z.strictObject({
    kind: z.literal('promote'),
    quotes: z.array(z.string()).min(1),
    section: z.string(),
    text: z.string(),
    reason: z.string(),
  }),
])
type ReviewVerdict = z.infer<typeof reviewVerdictSchema>

/** Returns undefined if the answer is not a JSON object of the expected form. Unusable and repeated items are left out. */
export function parseAnswer(batch: ReviewBatch, answer: string) {
  const items = parseItems(batch.kind === 'conflicts' ? 'conflicts' : 'keep', answer)
  if (!items) return undefined
  const verdicts = new Map<string, ReviewVerdict>()
  for (const item of items) {
    const parsed = batch.kind === 'conflicts' ? parseConflict(batch, item) : parsePromotion(batch, item)
    if (parsed?.key !== undefined && !verdicts.has(parsed.key)) verdicts.set(parsed.key, parsed.verdict)
  }
  return verdicts
}

function parseConflict({ units }: ReviewBatch, item: unknown) {
  const fields = conflictSchema.safeParse(item).data
  if (!fields || fields.old === fields.new) return undefined
  const { kind, reason } = fields
  const quotes: [string, string] = [fields.old, fields.new]
  const unit = units.find(({ lines }) => quotes.every((quote) => lines.some(({ text }) => text === quote)))
  return { key: unit?.key, verdict: { kind, quotes, reason } }
}

function parsePromotion({ units }: ReviewBatch, item: unknown) {
  const fields = promotionSchema.safeParse(item).data
  if (!fields) return undefined
  const quotes = [...new Set(fields.quotes)]
  const quotedUnits = quotes.map((quote) => units.find(({ lines: [line] }) => line?.text === quote))
  const key = quotedUnits.includes(undefined) ? undefined : quotedUnits[0]?.key
  return { key, verdict: { kind: 'promote' as const, ...fields, quotes } }
}

/** Parses the array in the only field of a JSON object; accepts a code fence around the object. */
function parseItems(field: string, answer: string): readonly unknown[] | undefined {
  const lines = answer.trim().split('\n')
  const [first, ...others] = scanBlocks(lines)
  const isFenced = first?.kind === 'fence' && first.isClosed && others.length === 0
  const parsed = z
    .strictObject({ [field]: z.array(z.unknown()).max(500) })
    .safeParse(parseJson((isFenced ? lines.slice(1, -1) : lines).join('\n'))).data
  return parsed?.[field]
}

export interface FindingContext {
  /** Keyed by `ReviewLine.text`. */
  readonly lines: ReadonlyMap<string, readonly ReviewLine[]>
  readonly memoryPath: string
  /** `YYYY-MM-DD`. */
  readonly today: string
  readonly read: (path: string) => Promise<LoadedNote | undefined>
}

/** @returns undefined if the lines of the verdict are gone or it changes nothing */
export async function findingFor(verdict: ReviewVerdict, context: FindingContext): Promise<Finding | undefined> {
  return verdict.kind === 'promote' ? promotionFinding(verdict, context) : conflictFinding(verdict, context)
}

async function conflictFinding(
  { kind, quotes: [oldQuote, newQuote], reason }: Extract<ReviewVerdict, { kind: 'superseded' | 'contradiction' }>,
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
  { quotes, section, text, reason }: Extract<ReviewVerdict, { kind: 'promote' }>,
  context: FindingContext,
): Promise<Finding | undefined> {
  const lines = await Array.fromAsync(quotes, (quote) => findLine(quote, context))
  if (!lines.every((line) => line !== undefined)) return undefined
  // Sources in the front matter of a note, and the program of a log entry, apply to each of its lines.
  const noteWideSources = lines.flatMap(({ file, line }) => sourcesOfLine(file.text, line))
  const marks = new Set([
    ...lines.flatMap(({ raw }) => raw.match(markPattern) ?? []),
    ...noteWideSources.map((source) => sourceMark([source], context.today)),
  ])
  const bareText = withoutLead(text.replace(markPattern, '')).trim()
  const addedLine = `- ${[bareText, ...marks].join(' ')}`
  const memory = await context.read(context.memoryPath)
  if (memory?.lines.lines.some((line) => line.trim() === addedLine)) return undefined
  const edit = memory
    ? insertionEdit(memory, section, addedLine)
    : { line: 1, before: [], after: ['# Memory', '', addedLine, ''] }
  if (!edit || bareText === '') return undefined
  return {
    rule: 'promote',
    evidence: lines.map(({ path, line, raw }) => evidenceOf(path, line, raw)),
    files: [{ path: context.memoryPath, edits: [edit] }],
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

async function findLine(text: string, { lines, read }: FindingContext) {
  for (const reviewLine of lines.get(text) ?? []) {
    const file = await read(reviewLine.path)
    const line = file?.lines.find([reviewLine.raw], reviewLine.line)
    if (file && line !== undefined) return { ...reviewLine, line, file }
  }
  return undefined
}

/**
 * A row of `judged.jsonl`. A judged unit has one, written before its proposal is added, and a second one as soon as the
 * proposal is in the inbox, so that an interrupted review does not pay for an answer twice.
 */
const recordSchema = z.union([
  z.object({
    key: z.string(),
    model: z.string(),
    at: z.number(),
    verdict: reviewVerdictSchema.nullable(),
    /** The unit's share of the cost of its request, and the 1-based number of the request. */
    cost: z.object({ usd: z.number().nullable(), tokens: z.number().int() }).optional(),
    request: z.number().int().optional(),
  }),
  /** The model's answer was unreadable: other models may still judge this unit. */
  z.object({ key: z.string(), model: z.string(), unread: z.literal(true) }),
  z.object({ key: z.string(), proposed: z.literal(true) }),
])
type JudgedRecord = z.infer<typeof recordSchema>
export type VerdictRecord = Extract<JudgedRecord, { verdict: unknown }>

export async function readRecords(folder: string) {
  const file = join(folder, 'judged.jsonl')
  const judged = new Map<string, VerdictRecord>()
  const unreadable = new Set<string>()
  const proposed = new Set<string>()
  const apply = (record: JudgedRecord) => {
    if ('proposed' in record) proposed.add(record.key)
    else if ('unread' in record) unreadable.add(`${record.key} ${record.model}`)
    else judged.set(record.key, record)
  }
  // The next review asks again about the unit of a line that a crash has cut.
  for (const record of await readRows(file, recordSchema)) apply(record)
  return {
    /** Returns true if any model judged the unit, or if the answer of `model` was unreadable. */
    isJudged: (key: string, model: string) => judged.has(key) || unreadable.has(`${key} ${model}`),
    pending: () =>
      [...judged.values()].flatMap((record) =>
        record.verdict && !proposed.has(record.key) ? [{ ...record, verdict: record.verdict }] : [],
      ),
    /** @throws AppError `disk_full`, `write_failed` */
    async add(records: readonly JudgedRecord[]): Promise<void> {
      if (records.length === 0) return
      await appendDurably(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
      for (const record of records) apply(record)
    },
  }
}
export type ReviewRecords = Awaited<ReturnType<typeof readRecords>>

/** A row of `spent.jsonl`: the estimate of a request; after the answer a second row with the same id and the actual cost. */
const spendingSchema = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  tokens: z.number().int(),
  /** US dollars; null if the price is unknown. */
  usd: z.number().nullable(),
})
type Spending = z.infer<typeof spendingSchema>

/** Sums the costs in the calendar month of `date`, local time. Estimates count where an actual cost is missing. */
export async function spentInMonth(folder: string, date: Date): Promise<ReviewEstimate['spent']> {
  const monthOf = (day: Date) => day.getFullYear() * 12 + day.getMonth()
  const rows = await readRows(join(folder, 'spent.jsonl'), spendingSchema)
  const ofMonth = rows.filter(({ at }) => monthOf(new Date(at)) === monthOf(date))
  const lastById = new Map(ofMonth.map((row) => [row.id, row]))
  const sum = (name: 'tokens' | 'usd') => lastById.values().reduce((total, row) => total + (row[name] ?? 0), 0)
  return { tokens: sum('tokens'), usd: sum('usd') }
}

/** @throws AppError `disk_full`, `write_failed` */
export async function recordSpending(folder: string, row: Spending): Promise<void> {
  await appendDurably(join(folder, 'spent.jsonl'), `${JSON.stringify(row)}\n`)
}

export function exceedsBudget(
  spent: ReviewEstimate['spent'],
  next: Pick<Spending, 'tokens' | 'usd'>,
  budget: ReviewEstimate['budget'],
): boolean {
  if (next.usd === null) return budget.tokens !== null && spent.tokens + next.tokens > budget.tokens
  return budget.usd !== null && spent.usd + next.usd > budget.usd
}
