import { fenceAt } from '#shared/markdown/blocks/line-starts.ts'
import type { ErasureStep } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { isRemoteEmbeddingProvider } from '#shared/util/providers.ts'
import {
  assertErasable,
  ErasePattern,
  eraseInWorker,
  findInWorker,
  findUserRepository,
  type ErasureFolders,
  type EraseRequest,
} from '#workspace'
import type { Agent } from './agent.ts'

const maxRelatedLines = 12
/** Minimum score of a related line. Low, because the user still chooses which lines to erase. */
const minRelatedScore = 0.1

export interface ErasureOptions {
  readonly entry: URL
  readonly getAgent: (id: string) => Promise<Agent>
  readonly foldersOf: (id: string) => ErasureFolders
  readonly whileClosed: <T>(agent: Agent, work: () => AsyncGenerator<T>) => AsyncGenerator<T>
}

/** Finds and erases texts in everything that the app stores for an agent. Runs one erasure per agent at a time. */
export class ErasureService {
  readonly #options: ErasureOptions
  readonly #abortControllers = new Map<string, AbortController>()

  constructor(options: ErasureOptions) {
    this.#options = options
  }

  /** Finds all places that contain the words, and related lines. @throws AppError `input_invalid` for a short text */
  async find(id: string, request: ErasureQuery, signal?: AbortSignal) {
    const { entry, foldersOf } = this.#options
    return findOccurrences({ entry, agent: await this.#options.getAgent(id), folders: foldersOf(id) }, request, signal)
  }

  /**
   * Erases texts from everything that the app stores for an agent. Cannot be undone. Reopens the agent at the end.
   * @throws AppError `input_invalid`, `session_busy`, `disk_full`, `write_failed`
   */
  async *run(id: string, request: EraseRequest): AsyncGenerator<ErasureStep> {
    assertErasable(request.texts)
    if (this.#abortControllers.has(id)) throw new AppError('session_busy', 'an erasure is already running', {})
    const agent = await this.#options.getAgent(id)
    if (agent.chat.isAnswering) throw new AppError('session_busy', 'a conversation is answering; stop it first', {})
    const controller = new AbortController()
    this.#abortControllers.set(id, controller)
    try {
      yield* this.#options.whileClosed(agent, () =>
        eraseInWorker(this.#options.entry, this.#options.foldersOf(id), request, controller.signal),
      )
    } finally {
      this.#abortControllers.delete(id)
    }
  }

  /** Aborts the erasure after the current file; no effect if none runs. */
  stop(id: string): void {
    this.#abortControllers.get(id)?.abort()
  }
}

interface ErasureQuery {
  readonly words: string
  readonly lines: readonly string[]
}

async function findOccurrences(
  { entry, agent, folders }: { readonly entry: URL; readonly agent: Agent; readonly folders: ErasureFolders },
  { words, lines }: ErasureQuery,
  signal: AbortSignal | undefined,
) {
  const erasePattern = new ErasePattern([words, ...lines])
  const places = await findInWorker(entry, folders, [words, ...lines], signal)
  // The query may not leave this machine.
  const { results } = await agent.memory.search(words, {
    maxResults: maxRelatedLines,
    minScore: minRelatedScore,
    staysHere: true,
  })
  const relatedLines = results
    .filter(({ source }) => source === 'memory')
    .flatMap(({ path, snippet, snippetLine, startLine, matched }) => {
      const snippetLines = snippet.split('\n')
      // Of a snippet with several lines, use only those with a matched word.
      const hasMatchedWord = (text: string) =>
        snippetLines.length === 1 || matched.some((word) => text.toLowerCase().includes(word.toLowerCase()))
      return snippetLines
        .map((text, offset) => ({ path, line: (snippetLine ?? startLine) + offset, text: text.trim() }))
        .filter(({ text }) => hasMatchedWord(text))
    })
    .filter(({ text }) => isDistinctive(text) && !erasePattern.matches(text))
  const distinctLines = new Map(relatedLines.map((line) => [line.text, line]))
  const git = (await findUserRepository(folders.workspace)) ?? null
  const { provider, model } = await agent.memory.status()
  const embedding = isRemoteEmbeddingProvider(provider) ? `${provider}/${model}` : undefined
  return { places, near: [...distinctLines.values()].slice(0, maxRelatedLines), git, embedding }
}

function isDistinctive(text: string): boolean {
  return text.length >= 12 && !/^(?:#|---|\|)/.test(text) && !fenceAt(text)
}
