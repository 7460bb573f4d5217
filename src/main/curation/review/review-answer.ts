import { scanBlocks } from '#shared/markdown/blocks/scan-blocks.ts'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import type { Batch } from './review-units.ts'

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
export const verdictSchema = z.discriminatedUnion('kind', [
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
export type Verdict = z.infer<typeof verdictSchema>

/**
 * Parses the answer to a batch; undefined if it is not a JSON object of the expected form.
 * @returns `verdicts`, keyed by `Unit.key`, and the number of `dropped` items: those with an invalid form, an unknown
 * quote, or a unit that another item has already judged
 */
export function parseAnswer(batch: Batch, answer: string) {
  const items = parseItems(batch.kind === 'conflicts' ? 'conflicts' : 'keep', answer)
  if (!items) return undefined
  const verdicts = new Map<string, Verdict>()
  let dropped = 0
  for (const item of items) {
    const parsed = batch.kind === 'conflicts' ? parseConflict(batch, item) : parsePromotion(batch, item)
    if (parsed?.key !== undefined && !verdicts.has(parsed.key)) verdicts.set(parsed.key, parsed.verdict)
    else dropped += 1
  }
  return { verdicts, dropped }
}

function parseConflict({ units }: Batch, item: unknown) {
  const fields = conflictSchema.safeParse(item).data
  if (!fields || fields.old === fields.new) return undefined
  const { kind, reason } = fields
  const quotes: [string, string] = [fields.old, fields.new]
  const unit = units.find(({ lines }) => quotes.every((quote) => lines.some(({ text }) => text === quote)))
  return { key: unit?.key, verdict: { kind, quotes, reason } }
}

function parsePromotion({ units }: Batch, item: unknown) {
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
