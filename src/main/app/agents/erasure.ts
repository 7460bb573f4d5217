import { fenceAt } from '#shared/markdown/blocks/line-starts.ts'
import type { ErasureStep, SearchResult } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { isRemoteEmbeddingProvider } from '#shared/util/providers.ts'
import {
  assertErasable,
  ErasePattern,
  eraseInWorker,
  findInWorker,
  findGitFolder,
  type ErasureFolders,
  type EraseRequest,
} from '#workspace'
import type { Agent } from './agent.ts'

const maxRelatedLines = 12
/** Limits of the search for related lines. Unlikely ones count too, because the user chooses which lines to erase. */
const relatedSearch = { minScore: 0, maxResults: 100, maxCharacters: 100_000 }

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
  async find(id: string, { words, lines }: ErasureQuery, signal?: AbortSignal) {
    const agent = await this.#options.getAgent(id)
    const folders = this.#options.foldersOf(id)
    const erasePattern = new ErasePattern([words, ...lines])
    const places = await findInWorker(this.#options.entry, folders, [words, ...lines], signal)
    // The query may not leave this machine.
    const { results } = await agent.memory.search(words, { ...relatedSearch, staysHere: true })
    const distinctLines = new Map<string, RelatedLine>()
    for (const result of results) {
      if (result.source !== 'memory') continue
      for (const line of await relatedLinesOf(agent, result))
        if (isDistinctive(line.text) && !erasePattern.matches(line.text)) distinctLines.set(line.text, line)
      if (distinctLines.size >= maxRelatedLines) break
    }
    const git = findGitFolder(folders.workspace) ?? null
    const { provider, model } = await agent.memory.status()
    const embedding = isRemoteEmbeddingProvider(provider) ? `${provider}/${model}` : undefined
    return { places, near: [...distinctLines.values()].slice(0, maxRelatedLines), git, embedding }
  }

  /**
   * Erases texts from everything that the app stores for an agent. Cannot be undone. Reopens the agent at the end.
   * @throws AppError `input_invalid`, `session_busy`, `disk_full`, `write_failed`
   */
  async *run(id: string, request: EraseRequest): AsyncGenerator<ErasureStep> {
    assertErasable(request.texts)
    if (this.#abortControllers.has(id)) throw new AppError('session_busy', 'an erasure is already running', {})
    const agent = await this.#options.getAgent(id)
    if (agent.chat.turns.isAnswering)
      throw new AppError('session_busy', 'a conversation is answering; stop it first', {})
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

interface RelatedLine {
  readonly path: string
  readonly line: number
  readonly text: string
}

/**
 * Returns the lines of a result as they are in the file; if it has several lines, only those with a matched word. Empty
 * if the file cannot be read.
 */
async function relatedLinesOf(
  agent: Agent,
  { path, startLine, endLine, matched }: SearchResult,
): Promise<RelatedLine[]> {
  const count = endLine - startLine + 1
  try {
    const { lines } = await agent.readLines(path, startLine, count)
    return lines
      .map((text, offset) => ({ path, line: startLine + offset, text: text.trim() }))
      .filter(({ text }) => count === 1 || hasWord(text, matched))
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

function hasWord(text: string, words: readonly string[]): boolean {
  return words.some((word) => text.toLowerCase().includes(word.toLowerCase()))
}

function isDistinctive(text: string): boolean {
  return text.length >= 12 && !/^(?:#|---|\|)/.test(text) && !fenceAt(text)
}
