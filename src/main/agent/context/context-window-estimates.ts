/**
 * Estimates context windows that are smaller than configured. If a provider refuses a request for its length and names
 * its window, that number is used; otherwise the window is halved until a request passes. An estimate is stored on disk
 * and holds until `models.<id>.contextWindow` changes in the settings.
 */
import { z } from 'zod'
import { contextWindowEstimateSchema, type ContextWindowEstimate } from '#shared/contract/context.ts'
import { AppError } from '#shared/util/errors.ts'
import type { ChatModel } from '#llm'
import { type Clock, parseStored, readIfExists, writeDurably, Mutex } from '#platform'
import type { ContextReport } from '#shared/contract/index.ts'

const estimateSchema = contextWindowEstimateSchema.extend({
  /** Milliseconds since the epoch. */
  at: z.number(),
})
const fileSchema = z.record(z.string(), estimateSchema)

/** Minimum guess in tokens; no usable chat model has a smaller window. */
const minWindow = 2048
/** Age at which a guess is dropped and the configured window is tried again. */
const guessLifetimeMs = 7 * 24 * 3_600_000
const maxShareOfRefused = 0.9

type ConfiguredWindow = Pick<ChatModel, 'id' | 'contextWindow'>
type Estimates = z.infer<typeof fileSchema>

interface ContextWindowEstimatesOptions {
  readonly file: string
  readonly now: Clock
  /** Receives read and write errors of the file; estimates then last for this run only. */
  readonly onProblem: (problem: unknown) => void
}

export type ContextWindowEstimates = Awaited<ReturnType<typeof openWindowEstimates>>

export async function openWindowEstimates({ file, now, onProblem }: ContextWindowEstimatesOptions) {
  let estimates: Estimates = (await readEstimates(file).catch(onProblem)) ?? {}

  /**
   * Returns undefined if the configured window applies or the guess has expired.
   * @param model its window is the configured or the estimated one
   */
  function estimateFor({ id, contextWindow }: ConfiguredWindow): ContextWindowEstimate | undefined {
    const stored = estimates[id]
    if (!stored || ![stored.believed, stored.window].includes(contextWindow)) return undefined
    const { at, ...estimate } = stored
    const isExpired = estimate.isGuess && now().getTime() - at > guessLifetimeMs
    return isExpired ? undefined : estimate
  }

  /** @param refusedTokens estimated tokens of the request that was too long, plus its largest permitted answer */
  async function lower(model: ConfiguredWindow, error: AppError, refusedTokens: number): Promise<void> {
    const currentWindow = estimateFor(model)?.window ?? model.contextWindow
    const { message, data, cause } = error
    const statedWindow = parseContextWindow([message, data['reason'], cause].join('\n'))
    // The window was already known; the request exceeded it.
    if (statedWindow !== undefined && statedWindow >= currentWindow) return
    const window = statedWindow ?? Math.floor(Math.min(currentWindow / 2, refusedTokens * maxShareOfRefused))
    const isGuess = statedWindow === undefined
    // Even the smallest window is refused, so the length is not the reason.
    const isUseless = isGuess && window < minWindow
    await store(model.id, isUseless ? undefined : { window, believed: model.contextWindow, isGuess })
  }

  /** Stores the window that a server has shown. @param applied window that was in force */
  async function learn(id: string, applied: number, window: number): Promise<void> {
    await store(id, { window, believed: estimates[id]?.believed ?? applied, isGuess: true })
  }

  /** Stores or deletes one estimate; those of other models may come from another process. */
  function store(id: string, estimate: ContextWindowEstimate | undefined): Promise<void> {
    const { [id]: _replaced, ...others } = estimates
    const changed = estimate && { [id]: { ...estimate, at: now().getTime() } }
    estimates = { ...others, ...changed }
    return Mutex.runOnce(file, async () => {
      const { [id]: _stored, ...stored } = await readEstimates(file)
      await writeDurably(file, JSON.stringify({ ...stored, ...changed }, null, 2))
    }).catch(onProblem)
  }

  return { estimateFor, lower, learn }
}

async function readEstimates(file: string): Promise<Estimates> {
  return parseStored(fileSchema, (await readIfExists(file)) ?? '') ?? {}
}

const windowPatterns = [
  // Anthropic: "prompt is too long: 210000 tokens > 200000 maximum", "exceed context limit: 190000 + 20000 > 200000"
  /tokens? > (\d+)/,
  /\d \+ \d+ > (\d+)/,
  // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral, xAI: "maximum context length is 8192 tokens", "maximum prompt length is …"
  /(?:context|sequence) (?:length|size|window)(?: limit)? (?:is|of)(?: only)? (\d+)/,
  /max(?:imum)? (?:prompt|input|model) (?:length|size) (?:is|of) (\d+)/,
  /with (\d+) (?:maximum )?context/,
  // Gemini: "exceeds the maximum number of tokens allowed (1048576)"
  /tokens? allowed \((\d+)\)/,
  // llama.cpp: "exceeds the available context size (4096 tokens)", "n_ctx": 4096
  /context (?:size|length|window)(?: limit)? \((\d+)/,
  /n_ctx\W{1,4}(\d+)/,
  // Kimi: "exceeded model token limit: 8192"; Qwen: "Range of input length should be [1, 30720]"
  /token limit\W{1,3}(\d+)/,
  /input length should be \[\d+, (\d+)\]/,
  /(?:limit|maximum)(?: is| of|:) (\d+) tokens/,
]

/** Returns the window (tokens) that an error text names; undefined if it names none from 512 to 100,000,000. */
export function parseContextWindow(text: string): number | undefined {
  const withoutSeparators = text.replaceAll(/(\d)[,_](?=\d{3}\b)/g, '$1')
  const stated = windowPatterns.map((pattern) => Number(new RegExp(pattern, 'i').exec(withoutSeparators)?.[1]))
  return stated.find((window) => window >= 512 && window <= 100_000_000)
}

type Counted = Pick<ContextReport, 'model' | 'estimatedTokens' | 'reportedTokens'>

/** Growth of the estimate from which the provider's count must grow, too. */
const minGrowth = 1.1
/** Largest growth of the count that is none. */
const maxCountGrowth = 1.02
/** No chat model has a smaller window. */
const minRead = 512
/** A server whose counts are a smaller share of the estimate does not count. */
const minCounted = 0.5
/** A smaller count leaves out what the server has cached, as older versions of Ollama do. */
const minShare = 0.4

/**
 * Returns the window of a server that cuts long requests without an error: the request has grown, but not the number of
 * tokens that the server has read. Undefined if nothing was cut, and for the offline model, which has no server.
 * @param last report of the request before
 */
export function truncatedWindow(last: Counted | undefined, report: Counted): number | undefined {
  const before = last?.model === report.model && report.model !== 'offline' ? (last.reportedTokens ?? 0) : 0
  const now = report.reportedTokens ?? 0
  if (!last || before < last.estimatedTokens * minCounted || now < minRead) return undefined
  if (now < before * minShare || now > before * maxCountGrowth) return undefined
  return report.estimatedTokens >= last.estimatedTokens * minGrowth ? now : undefined
}

/** @throws errors of `work` except a `context_overflow` that lowers the window estimate */
export async function retryOnOverflow<T>(model: Pick<ChatModel, 'contextWindow'>, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const windowBefore = model.contextWindow
    try {
      return await work()
    } catch (error) {
      if (!isContextOverflow(error) || model.contextWindow >= windowBefore) throw error
    }
  }
}

export function isContextOverflow(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'context_overflow'
}
