/** Recall before the answer: memory is searched with the user's message, and the best notes are sent with it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#shared/util/errors.ts'
import { recordedSearchSchema } from '#shared/contract/search.ts'
import { messageText, type Message, type RecalledNotes, type UserMessage } from '#shared/chat/messages.ts'
import { sourcesIn, uniqueSources } from '#shared/markdown/provenance.ts'
import { fold } from '#search'
import { estimateTokens } from '#shared/util/tokens.ts'
import { recalledText } from '../context/additions.ts'
import { searchVisible, type SearchContext, type VisibleLine } from '../tools/memory-search-tool.ts'
import { recallQueries } from './recall-query.ts'

const maxNotes = 5
/** Number of search results to choose from: the request may contain some already. */
const maxLookedAt = 12
/** Time limit of the search. After it, the message is sent without notes. */
const timeoutMs = 1000
/** Time that a remote embedding model has for the query. Then only words are searched. */
const vectorWaitMs = 300

/**
 * Returns the notes for a message; undefined if there are none, or the search fails.
 * @param earlier messages of the chat before it that the request will contain
 * @param held texts of the request besides messages: files that it contains
 * @param maxTokens limit of the notes' text, estimated
 */
export async function recallNotes(
  message: UserMessage,
  earlier: readonly Message[],
  held: readonly string[],
  maxTokens: number,
  context: SearchContext,
): Promise<RecalledNotes | undefined> {
  const options = { isRecall: true, hasChats: false, maxResults: maxLookedAt, vectorWaitMs }
  const texts = [...held, ...earlier.map(messageText), ...earlier.map(recalledText)].map(withoutSpace)
  const isNew = ({ result: { snippet } }: VisibleLine) => {
    const note = withoutSpace(snippet)
    return !texts.some((text) => text.includes(note))
  }
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)])
  const searchNew = async () => {
    for (const { text, about } of recallQueries(message, earlier)) {
      const { response, lines } = await searchVisible(text, options, { ...context, signal })
      const isAbout = ({ result: { snippet } }: VisibleLine) =>
        about === undefined || about.some((word) => fold(snippet).includes(word))
      const unknown = lines.filter(isNew).filter(isAbout)
      if (unknown.length > 0) return { response, unknown }
    }
    return undefined
  }
  const search = searchNew().catch((error: unknown) => {
    if (error instanceof AppError || signal.aborted) return undefined
    throw error
  })
  const found = await Promise.race([search, sleep(timeoutMs, undefined, { ref: false })])
  if (!found) return undefined
  const { unknown } = found
  let tokens = 0
  const places = new Set(unknown.map(({ result: { path, startLine } }) => `${path}:${startLine}`))
  const given = unknown
    // A replaced note without its successor would mislead.
    .filter(({ result: { superseded } }) => !superseded || places.has(superseded.by ?? ''))
    .slice(0, maxNotes)
    .filter(({ line }) => (tokens += estimateTokens(line) + 1) <= maxTokens)
  if (given.length === 0) return undefined
  const recorded = recordedSearchSchema.parse({ ...found.response, results: given.map(({ result }) => result) })
  const text = given.map(({ line }) => line).join('\n')
  const sources = uniqueSources([...given.flatMap((note) => [...note.sources]), ...sourcesIn(text)])
  return { text, search: recorded, sources }
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}
