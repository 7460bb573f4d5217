/**
 * Windows that turned out smaller than they were believed to be: a provider refuses a request for its length. Where it
 * names the number, that is the window; else the belief is halved until a request passes. What was learned is kept on
 * disk, and holds as long as the belief that it corrects: another `models.<id>.contextWindow` in the settings ends it.
 */
import { z } from 'zod'
import type { LearnedWindow } from '#shared/contract/index.ts'
import type { AppError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { type Clock, Queue, readIfThere, writeDurably } from '#platform'

const learnedSchema = z.object({
  window: z.number().int().positive(),
  believed: z.number().int().positive(),
  isGuess: z.boolean(),
  /** Milliseconds since the epoch. */
  at: z.number(),
})
type Learned = z.infer<typeof learnedSchema>
const fileSchema = z.record(z.string(), learnedSchema)

/** No model that can hold a conversation has less, tokens. */
const minWindow = 2048
/** A guess is put to the test again after this. */
const guessMs = 7 * 24 * 3_600_000
/** What a refused request held was too much: the next guess lies below. */
const belowRefused = 0.9

/** A model and the window that it is believed to have. */
export interface Believed {
  readonly id: string
  readonly contextWindow: number
}

export interface LearnedWindowsOptions {
  readonly file: string
  readonly now: Clock
  /** Told what is wrong with the file: what was learned holds for this run then. */
  readonly onProblem: (problem: unknown) => void
}

export class LearnedWindows {
  readonly #options: LearnedWindowsOptions
  readonly #learned = new Map<string, Learned>()
  /** Guesses that no request has passed with yet. */
  readonly #untried = new Set<string>()
  readonly #writes = new Queue()

  private constructor(options: LearnedWindowsOptions) {
    this.#options = options
  }

  static async open(options: LearnedWindowsOptions): Promise<LearnedWindows> {
    const windows = new LearnedWindows(options)
    try {
      const kept = fileSchema.safeParse(parseJson((await readIfThere(options.file)) ?? '{}'))
      for (const [id, learned] of Object.entries(kept.data ?? {})) windows.#learned.set(id, learned)
    } catch (error) {
      options.onProblem(error)
    }
    return windows
  }

  /** Undefined while the window is believed to be what it is. */
  of({ id, contextWindow }: Believed): LearnedWindow | undefined {
    const learned = this.#learned.get(id)
    if (!learned || learned.believed !== contextWindow || learned.window >= contextWindow) return undefined
    const isOld = learned.isGuess && this.#options.now().getTime() - learned.at > guessMs
    return isOld ? undefined : { window: learned.window, believed: learned.believed, isGuess: learned.isGuess }
  }

  /** What was learned of a model that says the learned window already. */
  learnedOf({ id, contextWindow }: Believed): LearnedWindow | undefined {
    const learned = this.#learned.get(id)
    return learned?.window === contextWindow ? this.of({ id, contextWindow: learned.believed }) : undefined
  }

  /**
   * A request was refused as too long.
   * @param refused tokens of the request and of the longest answer to it, in our own estimate
   */
  async learn(model: Believed, error: AppError, refused: number): Promise<void> {
    const current = this.of(model)?.window ?? model.contextWindow
    const named = namedWindow(wordsOf(error))
    // The window is known, and the request was too long for it all the same: nothing to learn about the window.
    if (named !== undefined && named >= current) return
    const window = named ?? Math.floor(Math.min(current / 2, refused * belowRefused))
    if (window < minWindow && named === undefined) {
      // Nothing passes: the length is not what this provider is about.
      this.#untried.delete(model.id)
      if (this.#learned.delete(model.id)) await this.#save()
      return
    }
    const isGuess = named === undefined
    this.#learned.set(model.id, { window, believed: model.contextWindow, isGuess, at: this.#options.now().getTime() })
    if (isGuess) this.#untried.add(model.id)
    else {
      this.#untried.delete(model.id)
      await this.#save()
    }
  }

  /** A request passed: what was guessed last is kept. */
  async passed(id: string): Promise<void> {
    if (this.#untried.delete(id)) await this.#save()
  }

  #save(): Promise<void> {
    const { file, onProblem } = this.#options
    return this.#writes
      .run('file', () => writeDurably(file, JSON.stringify(Object.fromEntries(this.#learned), null, 2)))
      .catch(onProblem)
  }
}

function wordsOf({ message, data, cause }: AppError): string {
  const reason = data['reason']
  const told = cause instanceof Error ? cause.message : ''
  return [message, typeof reason === 'string' ? reason : '', told].join('\n')
}

/** How providers and servers name their window; each with the number in the first group. */
const wordings = [
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

/** @returns the window that the words of a refusal name, tokens */
export function namedWindow(words: string): number | undefined {
  const plain = words.replaceAll(/(\d)[,_](?=\d{3}\b)/g, '$1')
  for (const wording of wordings) {
    const named = Number(new RegExp(wording, 'i').exec(plain)?.[1])
    if (named >= 512 && named <= 100_000_000) return named
  }
  return undefined
}
