/** Changes no note. Answers are stored before they are used, so an interrupted review continues where it stopped. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { Suggestion, ReviewEstimate, ReviewOutcome, SuggestionProgress } from '#shared/contract/index.ts'
import { reviewOutcomeSchema } from '#shared/contract/suggestions.ts'
import { AppError } from '#shared/util/errors.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { type Clock, parseStored, readIfExists, writeDurably } from '#platform'
import { localDate, longTermFile, type Workspace } from '#workspace'
import { loadNotes, suggestionOf, readNote } from '../suggestions/suggestion.ts'
import type { PrivacyOf } from '../suggestions/line-edits.ts'
import {
  parseAnswer,
  findingFor,
  type FindingContext,
  exceedsBudget,
  recordSpending,
  readRecords,
  type ReviewRecords,
  spentInMonth,
  type VerdictRecord,
} from './review-answer.ts'
import type { ReviewInput } from './review-input.ts'
import { batchesOf, type ReviewBatch, type ReviewPrompts } from './review-units.ts'

export interface ReviewModel {
  readonly id: string
  readonly isOffline: boolean
  /** In tokens, like `maxOutput`. */
  readonly contextWindow: number
  readonly maxOutput: number
  /** US dollars per million tokens; undefined if unknown. */
  readonly prices: { readonly input: number; readonly output: number } | undefined
  /** Stores the request for inspection. @throws AppError as the provider */
  ask(content: string, maxOutput: number, signal: AbortSignal): Promise<ReviewAnswer>
}

interface ReviewAnswer {
  readonly text: string
  readonly tokens: number
  /** US dollars; null if the price is unknown. */
  readonly usd: number | null
  /** 1-based number of the stored request. */
  readonly request: number
}

export interface ReviewOptions {
  readonly folder: string
  readonly workspace: Workspace
  readonly now: Clock
  readonly privacyOf: PrivacyOf
  /** @throws AppError `provider_key_missing`, `unknown_model` */
  readonly model: () => ReviewModel
  readonly budget: () => ReviewEstimate['budget']
  readonly prompts: () => Promise<ReviewPrompts>
  /** Without private lines. */
  readonly reviewInput: (signal: AbortSignal | undefined) => Promise<ReviewInput>
  /** @returns the number of new proposals */
  readonly add: (suggestions: readonly Suggestion[]) => Promise<number>
}

/** Includes the tokens of reasoning. */
const maxAnswerTokens = 8000
/** For estimates: expected share of units with a finding, and tokens per finding. */
const answerEstimates = { conflicts: { share: 0.1, tokens: 110 }, promote: { share: 0.08, tokens: 130 } } as const
const emptyAnswerTokens = 10
const retryInstruction =
  '\n\nYour last answer was not one JSON object of that form. Answer with the JSON object and nothing before or behind it.'

const stateSchema = z.object({ version: z.literal(1), last: reviewOutcomeSchema.nullable() })

export function openReview(options: ReviewOptions) {
  const { folder, workspace, now, privacyOf, budget } = options
  const file = join(folder, 'review.json')

  /** Returns the last outcome; null before the first one. Its state is `running` if a crash interrupted the review. */
  async function last(): Promise<ReviewOutcome | null> {
    return parseStored(stateSchema, (await readIfExists(file)) ?? '')?.last ?? null
  }

  /** @throws AppError `provider_key_missing`, `unknown_model` */
  async function estimate(signal: AbortSignal | undefined): Promise<ReviewEstimate> {
    const model = options.model()
    const { batches, reviewInput } = await plan(model, await readRecords(folder), signal)
    const estimates = batches.map((batch) => estimateOf(batch, model))
    const spent = await spentInMonth(folder, now())
    const limit = budget()
    const total = { ...spent }
    let fitting = 0
    for (const costEstimate of estimates) {
      if (exceedsBudget(total, costEstimate, limit)) break
      total.tokens += costEstimate.tokens
      total.usd += costEstimate.usd ?? 0
      fitting += 1
    }
    const sum = (name: 'input' | 'output' | 'usd') => estimates.reduce((total, one) => total + (one[name] ?? 0), 0)
    return {
      model: model.id,
      isOffline: model.isOffline,
      lines: reviewInput.lines.length,
      requests: batches.length,
      input: sum('input'),
      output: sum('output'),
      usd: model.prices ? sum('usd') : null,
      budget: limit,
      spent,
      fitting,
    }
  }

  /** @throws AppError `needs_model`; the error of the first request. Later failures are in the outcome. */
  async function run(signal: AbortSignal, onProgress: (progress: SuggestionProgress) => void): Promise<ReviewOutcome> {
    const model = options.model()
    const message = 'the offline model cannot judge the meaning of lines; choose a language model'
    if (model.isOffline) throw new AppError('needs_model', message, {})
    const id = randomUUID()
    let outcome: ReviewOutcome = {
      id,
      model: model.id,
      at: now().getTime(),
      state: 'running',
      requests: 0,
      usd: model.prices ? 0 : null,
      proposals: 0,
      unread: 0,
      left: 0,
    }
    const update = async (change: Partial<ReviewOutcome>) => {
      outcome = { ...outcome, ...change }
      await writeDurably(file, JSON.stringify({ version: 1, last: outcome }))
    }
    await update({})
    try {
      const records = await readRecords(folder)
      const { reviewInput, batches } = await plan(model, records, signal)
      await update({ left: batches.length })
      const context: FindingContext = {
        lines: Map.groupBy(reviewInput.lines, ({ text }) => text),
        memoryPath: longTermFile(workspace.layout),
        today: localDate(now()),
        read: (path) => readNote(workspace, path),
      }
      await update({ proposals: await propose(id, records, context) })
      for (const [index, batch] of batches.entries()) {
        signal.throwIfAborted()
        onProgress({ done: index, total: batches.length })
        const costEstimate = estimateOf(batch, model)
        if (exceedsBudget(await spentInMonth(folder, now()), costEstimate, budget())) {
          await update({ state: 'budget' })
          return outcome
        }
        const judged = await judge(model, batch, costEstimate, signal, (answer) => {
          outcome = { ...outcome, requests: outcome.requests + 1 }
          if (outcome.usd !== null && answer.usd !== null) outcome = { ...outcome, usd: outcome.usd + answer.usd }
        })
        await records.add(judged.records)
        const added = await propose(id, records, context)
        await update({
          left: batches.length - index - 1,
          proposals: outcome.proposals + added,
          unread: outcome.unread + judged.unread,
        })
      }
      await update({ state: 'done' })
    } catch (error) {
      if (signal.aborted) await update({ state: 'stopped' })
      else {
        const { code, data } = error instanceof AppError ? error : { code: 'internal', data: {} }
        await update({ state: 'failed', code, data })
        if (!(error instanceof AppError) || outcome.requests === 0) throw error
      }
    }
    return outcome
  }

  async function plan(model: ReviewModel, records: ReviewRecords, signal: AbortSignal | undefined) {
    const reviewInput = await options.reviewInput(signal)
    const isJudged = (key: string) => records.isJudged(key, model.id)
    const batches = batchesOf(reviewInput, await options.prompts(), isJudged, model.contextWindow)
    return { reviewInput, batches }
  }

  async function judge(
    model: ReviewModel,
    batch: ReviewBatch,
    costEstimate: ReturnType<typeof estimateOf>,
    signal: AbortSignal,
    onAnswer: (answer: ReviewAnswer) => void,
  ) {
    for (const content of [batch.content, `${batch.content}${retryInstruction}`]) {
      const row = { id: randomUUID(), at: now().getTime() }
      await recordSpending(folder, { ...row, tokens: costEstimate.tokens, usd: costEstimate.usd })
      const answer = await model.ask(content, Math.min(model.maxOutput, maxAnswerTokens), signal)
      const { text, tokens, usd, request } = answer
      await recordSpending(folder, { ...row, tokens, usd })
      onAnswer(answer)
      const verdicts = parseAnswer(batch, text)
      if (!verdicts) continue
      const verdictCount = Math.max(1, verdicts.size)
      const cost = { usd: usd === null ? null : usd / verdictCount, tokens: Math.round(tokens / verdictCount) }
      const records = batch.units.map(({ key }): VerdictRecord => {
        const verdict = verdicts.get(key) ?? null
        return { key, model: model.id, at: row.at, verdict, ...(verdict ? { cost, request } : {}) }
      })
      return { records, unread: 0 }
    }
    const records = batch.units.map(({ key }) => ({ key, model: model.id, unread: true as const }))
    return { records, unread: 1 }
  }

  async function propose(reviewId: string, records: ReviewRecords, context: FindingContext): Promise<number> {
    const suggestions: Suggestion[] = []
    const handledKeys: string[] = []
    for (const { key, verdict, model, at, cost, request } of records.pending()) {
      const finding = await findingFor(verdict, context)
      handledKeys.push(key)
      if (!finding) continue
      const files = await loadNotes(workspace, [finding])
      const origin = { author: { kind: 'model' as const, model }, at, ...(cost ? { cost } : {}) }
      const suggestion = suggestionOf(finding, origin, (path) => files.get(path), privacyOf)
      suggestions.push({ ...suggestion, review: reviewId, ...(request === undefined ? {} : { request }) })
    }
    const added = suggestions.length > 0 ? await options.add(suggestions) : 0
    await records.add(handledKeys.map((key) => ({ key, proposed: true as const })))
    return added
  }

  return { last, estimate, run }
}

function estimateOf({ kind, units, content }: ReviewBatch, { prices }: ReviewModel) {
  const input = estimateTokens(content)
  const { share, tokens } = answerEstimates[kind]
  const output = emptyAnswerTokens + Math.ceil(units.length * share * tokens)
  const usd = prices ? (input * prices.input + output * prices.output) / 1_000_000 : null
  return { input, output, tokens: input + output, usd }
}
