import { fenceAt } from '#shared/markdown/blocks/line-starts.ts'
import type { ForgetStep } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { isSentTexts } from '#shared/util/providers.ts'
import {
  assertNamable,
  Phrase,
  forgetInThread,
  scanInThread,
  otherGit,
  type ForgetFolders,
  type ForgetRequest,
} from '#workspace'
import type { Agent } from './agent.ts'

/** Limit of related lines in an answer. */
const maxNear = 12
/** Minimum score of a related line. Low, because the user still chooses which lines to erase. */
const leastNear = 0.1

export interface ForgettingOptions {
  readonly entry: URL
  readonly get: (id: string) => Promise<Agent>
  readonly folders: (id: string) => ForgetFolders
  /** Runs `work` while the agent is closed. Other callers wait. */
  readonly whileClosed: <T>(agent: Agent, work: () => AsyncGenerator<T>) => AsyncGenerator<T>
}

/** Finds and erases texts in everything that the app stores for an agent; one erasure per agent at a time. */
export class Forgetting {
  readonly #options: ForgettingOptions
  readonly #stops = new Map<string, AbortController>()

  constructor(options: ForgettingOptions) {
    this.#options = options
  }

  /**
   * Finds all places that contain the words, and related lines.
   * @throws AppError `input_invalid`
   */
  async find(id: string, request: ForgetQuestion, signal?: AbortSignal) {
    const { entry, folders } = this.#options
    return findIn({ entry, agent: await this.#options.get(id), folders: folders(id) }, request, signal)
  }

  /**
   * Erases texts from everything that the app stores for an agent. The erasure cannot be undone.
   * @throws AppError `input_invalid`, `session_busy`, `disk_full`, `write_failed`
   */
  async *run(id: string, request: ForgetRequest): AsyncGenerator<ForgetStep> {
    assertNamable(request.texts)
    if (this.#stops.has(id)) throw new AppError('session_busy', 'an erasure is already running', {})
    const agent = await this.#options.get(id)
    if (agent.chat.isAnswering) throw new AppError('session_busy', 'a conversation is answering; stop it first', {})
    const stop = new AbortController()
    this.#stops.set(id, stop)
    try {
      yield* this.#options.whileClosed(agent, () =>
        forgetInThread(this.#options.entry, this.#options.folders(id), request, stop.signal),
      )
    } finally {
      this.#stops.delete(id)
    }
  }

  /** Aborts the erasure after the current file. */
  stop(id: string): void {
    this.#stops.get(id)?.abort()
  }
}

interface ForgetQuestion {
  readonly words: string
  readonly lines: readonly string[]
}

async function findIn(
  { entry, agent, folders }: { readonly entry: URL; readonly agent: Agent; readonly folders: ForgetFolders },
  { words, lines }: ForgetQuestion,
  signal: AbortSignal | undefined,
) {
  const phrase = new Phrase([words, ...lines])
  const places = await scanInThread(entry, folders, [words, ...lines], signal)
  // The query may not leave this machine.
  const { results } = await agent.memory.search(words, { maxResults: maxNear, minScore: leastNear, staysHere: true })
  const near = results
    .filter(({ source }) => source === 'memory')
    .flatMap(({ path, snippet, snippetLine, startLine, matched }) => {
      const lines = snippet.split('\n')
      // A snippet of several lines keeps only the lines with a matched word.
      const isAbout = (text: string) =>
        lines.length === 1 || matched.some((word) => text.toLowerCase().includes(word.toLowerCase()))
      return lines
        .map((text, at) => ({ path, line: (snippetLine ?? startLine) + at, text: text.trim() }))
        .filter(({ text }) => isAbout(text))
    })
    .filter(({ text }) => canBeNamed(text) && !phrase.isIn(text))
  const known = new Map(near.map((one) => [one.text, one]))
  const git = (await otherGit(folders.workspace)) ?? null
  const { provider, model } = await agent.memory.status()
  const embedding = isSentTexts(provider) ? `${provider}/${model}` : undefined
  return { places, near: [...known.values()].slice(0, maxNear), git, embedding }
}

/** True for a line that is long enough to be distinctive and is no heading, table row or fence. */
function canBeNamed(text: string): boolean {
  return text.length >= 12 && !/^(?:#|---|\|)/.test(text) && !fenceAt(text)
}
