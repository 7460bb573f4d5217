import type { Recall, RecalledLines, RecordedSearch } from '#shared/contract/index.ts'
import { splitCitations } from '#shared/markdown/citation.ts'
import { messageText, type AssistantMessage, type ToolResultMessage } from '#shared/chat/messages.ts'
import type { MessageEntry } from './transcript-entries.ts'
import { readMessages } from './transcript-file.ts'

export type RecordedRecall = Omit<Recall, 'session' | 'title'>
interface OpenRecall extends Omit<RecordedRecall, 'results'> {
  readonly results: (RecalledLines & { use: RecalledLines['use'] })[]
}

/** Returns every memory search in a transcript file, by the agent or before an answer, in order. @throws the file system error if it cannot be read */
export async function readRecalls(file: string): Promise<RecordedRecall[]> {
  const collector = new RecallCollector()
  // Results of other tools are most of the file: skip them without parsing.
  const isRelevant = (line: string) => !line.includes('"role":"toolResult"') || line.includes('memory_search')
  for await (const entry of readMessages(file, isRelevant)) collector.add(entry)
  return collector.recalls
}

/** Collects memory searches and the use of their results. Pass the messages in order. */
export class RecallCollector {
  readonly recalls: OpenRecall[] = []
  #recallsOfTurn: OpenRecall[] = []
  #question = ''
  #messageId = ''

  add({ id, message }: Pick<MessageEntry, 'id' | 'message'>): void {
    if (message.role === 'user') {
      this.#recallsOfTurn = []
      this.#question = messageText(message)
      this.#messageId = id
      if (message.recalled) this.#record(id, message.timestamp, message.recalled.search)
    } else if (message.role === 'assistant') this.#recordUse(message)
    else this.#recordSearch(message)
  }

  #recordSearch({ toolCallId, toolName, details, timestamp }: ToolResultMessage): void {
    if (toolName === 'memory_search' && details?.kind === 'recall') this.#record(toolCallId, timestamp, details.recall)
  }

  #record(id: string, at: number, { query, results, candidates, minScore }: RecordedSearch): void {
    const recall: OpenRecall = {
      id,
      message: this.#messageId,
      question: this.#question,
      at,
      query,
      minScore,
      candidates,
      results: results.map(({ path, startLine, endLine, score, snippet }) => ({
        path,
        startLine,
        endLine,
        score,
        snippet,
        use: null,
      })),
    }
    this.recalls.push(recall)
    this.#recallsOfTurn.push(recall)
  }

  #recordUse(message: AssistantMessage): void {
    if (this.#recallsOfTurn.length === 0) return
    const results = this.#recallsOfTurn.flatMap((recall) => recall.results)
    const citations = splitCitations(messageText(message)).filter((part) => typeof part !== 'string')
    for (const result of results) {
      // A citation without lines covers the whole file.
      const isCited = citations.some(
        ({ path, line = 1, endLine = Infinity }) =>
          result.path === path && result.startLine <= endLine && line <= result.endLine,
      )
      if (isCited) result.use = 'cited'
    }
    for (const part of message.content) {
      if (part.type !== 'toolCall' || !['memory_get', 'read'].includes(part.name)) continue
      for (const result of results) if (result.path === part.arguments['path']) result.use ??= 'read'
    }
  }
}
