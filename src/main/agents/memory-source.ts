/** What an agent may read besides its own files, and what its index is built from. */
import type { EmbeddingSource } from '../embeddings/index.ts'
import { sessionsPrefix, type MemorySource } from '../memory/index.ts'
import { expandHome, type AgentSettings } from '../settings/index.ts'
import { isInside, type ReadableFolder } from '../workspace/index.ts'
import type { AgentOptions } from './agent-options.ts'

export function readableFolders(options: AgentOptions): ReadableFolder[] {
  return [
    ...options.shared().map(({ agent, workspace }) => ({
      prefix: sharedPrefix(agent),
      folder: workspace,
      isMemoryOnly: true,
    })),
    ...extraFolders(options).map((folder) => ({ prefix: `${folder}/`, folder, isMemoryOnly: false })),
  ]
}

export function memorySource(options: AgentOptions): MemorySource {
  const { chunk, sync, embedding, sessions } = options.config.current.memory
  const forbidden = options.forbidden()
  return {
    file: options.folders.index,
    folders: [
      { source: 'memory', folder: options.workspace, prefix: '', forbidden },
      ...extraFolders(options).map((folder) => ({
        source: 'extra' as const,
        folder,
        prefix: `${folder}/`,
        forbidden,
      })),
      ...options.shared().map(({ agent, workspace: folder }) => ({
        source: 'shared' as const,
        folder,
        prefix: sharedPrefix(agent),
        // Its own files alone: not another agent's that lies inside.
        forbidden,
      })),
      ...(sessions
        ? [{ source: 'sessions' as const, folder: options.folders.sessions, prefix: sessionsPrefix, forbidden: [] }]
        : []),
    ],
    chunk,
    debounceMs: sync.debounceMs,
    embedding: embeddingSource(embedding, options),
  }
}

/** How the files of another agent are named where it shares them. */
function sharedPrefix(agent: string): string {
  return `@${agent}/`
}

/** Not those that are another agent's: only `shareWith` opens these. */
function extraFolders({ config, forbidden }: AgentOptions): string[] {
  const foreign = forbidden()
  return config.current.memory.extraPaths
    .map((path) => expandHome(path))
    .filter((path) => !foreign.some((folder) => isInside(folder, path)))
}

function embeddingSource(
  embedding: AgentSettings['memory']['embedding'],
  { keys, modelsFolder, embeddingProvider }: AgentOptions,
): EmbeddingSource {
  const { model, baseUrl, dimensions, batchSize, allowDownload } = embedding
  const provider = embeddingProvider ?? embedding.provider
  const apiKey = provider === 'none' || provider === 'local' ? undefined : keys.get(provider)
  return { provider, model, baseUrl, dimensions, batchSize, apiKey, allowDownload, modelsFolder }
}
