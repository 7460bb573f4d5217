import { existsSync } from 'node:fs'
import { fenceAt } from '#shared/markdown/blocks/line-starts.ts'
import type { DeletionMatches, DeletionRequest, DeletionStep } from '#shared/contract/index.ts'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { isRemoteEmbeddingProvider } from '#shared/util/providers.ts'
import { runInWorker, WorkerHost, type WorkerClient } from '#platform'
import { DeletionPattern, taskFile, type DeletionJobs } from '#workspace'
import type { OpenAgent } from './agent.ts'

type OnProgress = (progress: { readonly done: number; readonly total: number }) => void

const maxRelatedLines = 12
const relatedSearch = { minScore: 0, maxResults: 100, maxCharacters: 100_000 }

interface Agents {
  get(id: string): Promise<OpenAgent>
  deletionFolders(id: string): Parameters<typeof taskFile>[0]
  whileClosed<T>(agent: OpenAgent, work: () => Promise<T>): Promise<T>
}

/** Finds and erases texts in everything that the app stores for an agent. Runs one deletion per agent at a time. */
export function createDeletion(agents: Agents, entry: URL) {
  const workers = new Map<string, WorkerHost<DeletionJobs>>()
  return {
    /** @throws AppError `input_invalid` for a short text */
    async find(id: string, words: string, signal?: AbortSignal) {
      const agent = await agents.get(id)
      const folders = agents.deletionFolders(id)
      const find = (client: WorkerClient<DeletionJobs>) => client.find({ folders, words })
      const { places, git } = await runInWorker(entry, find, signal)
      const near = await findRelatedLines(agent, words)
      const { provider, model } = await agent.memory.status()
      return { places, near, git, embedding: isRemoteEmbeddingProvider(provider) ? `${provider}/${model}` : undefined }
    },

    /** Deletes the texts and opens the agent again. @throws AppError `session_busy`, and as `deletePermanently` */
    async run(id: string, request: DeletionRequest, onProgress: OnProgress): Promise<DeletionStep> {
      if (workers.has(id)) throw new AppError('session_busy', 'a deletion is already running', {})
      const agent = await agents.get(id)
      if (agent.chat.turns.isAnswering) throw new AppError('session_busy', 'a chat is answering; stop it first', {})
      const folders = agents.deletionFolders(id)
      const worker = new WorkerHost<DeletionJobs>({ entry })
      workers.set(id, worker)
      try {
        return await agents.whileClosed(agent, async () => {
          let step: DeletionStep = { done: 0, total: 0 }
          for await (step of worker.stream((client) => client.run({ folders, request })))
            if ('total' in step) onProgress(step)
          return step
        })
      } finally {
        workers.delete(id)
        await worker.close()
      }
    },

    /** Stops the deletion after the current file; no effect if none runs. */
    async stop(id: string): Promise<void> {
      await workers.get(id)?.run((client) => client.stop())
    },

    /** Finishes a deletion that a crash interrupted; no effect if there is none. @throws AppError as `deletePermanently` */
    async resume(id: string): Promise<void> {
      const folders = agents.deletionFolders(id)
      if (!existsSync(taskFile(folders))) return
      await runInWorker<DeletionJobs, void>(entry, (client) => client.resume(folders))
    },
  }
}

/** Returns lines with a similar meaning that do not contain the words. The query does not leave this machine. */
async function findRelatedLines(agent: OpenAgent, words: string): Promise<DeletionMatches['near']> {
  const deletionPattern = new DeletionPattern([words])
  const { results } = await agent.memory.search(words, { ...relatedSearch, staysHere: true })
  const distinctLines = new Map<string, DeletionMatches['near'][number]>()
  for (const { source, path, startLine, endLine, matched } of results) {
    if (source !== 'memory') continue
    const memory = agent.visibleTo({ seesPrivate: true })
    const read = await orUndefined(memory.lines(path, startLine, endLine - startLine + 1))
    for (const [offset, line] of (read?.lines ?? []).entries()) {
      const text = line.trim()
      // Only lines with a word of the query are related if the result has several lines.
      const isRelated = startLine === endLine || matched.some((word) => text.toLowerCase().includes(word.toLowerCase()))
      const isDistinctive = text.length >= 12 && !/^(?:#|---|\|)/.test(text) && !fenceAt(text)
      if (isRelated && isDistinctive && !deletionPattern.matches(text))
        distinctLines.set(text, { path, line: startLine + offset, text })
    }
    if (distinctLines.size >= maxRelatedLines) break
  }
  return [...distinctLines.values()].slice(0, maxRelatedLines)
}
