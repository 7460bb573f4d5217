import { join, relative, sep } from 'node:path'
import { isRemoteEmbeddingProvider, type EmbeddingProviderName } from '#shared/util/providers.ts'
import { isLocalEndpoint } from '#shared/util/locality.ts'
import { modelOf, type EmbeddingSource, sessionsPrefix, type MemorySource } from '#search'
import { expandHome, type AgentSettings } from '#platform'
import { type Conventions, isIgnoredPath, createLayout, type Layout, isInside } from '#workspace'
import { resolveRules, rulesForFolder, type NotesFolder, type PrivateRules } from '#workspace/privacy'
import type { AgentOptions } from './agent-options.ts'
import { changeLogFile } from './state-folders.ts'

export function readableFolders(options: AgentOptions) {
  return otherFolders(options).map(({ source, ...folder }) => ({ ...folder, isMemoryOnly: source === 'shared' }))
}

export function builtinModelFile(resources: string): string {
  return join(resources, 'models', 'builtin', 'model.bin')
}

/** @param provider embedding provider instead of the configured one; its vectors are in a separate index file */
export function memorySource(options: AgentOptions, provider?: EmbeddingProviderName): MemorySource {
  const { embedding, sessions, scope, sync, chunking } = options.config.current.memory
  const { index } = options.folders
  const { unit, ...chunkSizes } = chunking
  const layout = layoutOfConventions(options.conventions)
  const forbidden = options.forbiddenFolders()
  const chats = { source: 'sessions' as const, folder: options.folders.sessions, prefix: sessionsPrefix, forbidden: [] }
  return {
    file: provider === undefined ? index : index.replace(/\.sqlite$/, `-${provider}.sqlite`),
    folders: [
      { source: 'memory', folder: options.workspace, prefix: '', forbidden, scope, layout },
      ...otherFolders(options)
        .filter(({ folder }) => !isInWorkspaceIndex(folder, options))
        .map((source) => ({
          ...source,
          forbidden: isInside(source.folder, options.workspace) ? [...forbidden, options.workspace] : forbidden,
        })),
      ...(sessions ? [chats] : []),
    ],
    debounceMs: sync.debounceMs,
    changeLog: changeLogFile(options.folders.history, options.workspace),
    embedding: embeddingSource({ ...embedding, provider: provider ?? embedding.provider }, options),
    notes: foldersWithPrivateRules(options),
    chunking: unit === 'tokens' ? chunkSizes : undefined,
  }
}

export function foldersWithPrivateRules(options: AgentOptions): NotesFolder[] {
  const { workspace, config, conventions } = options
  const rules = resolveRules(workspace, config.current.visibility.private)
  const notesFolder = (
    folder: string,
    prefix: string,
    daily?: NotesFolder['daily'],
    ownRules: readonly string[] = [],
  ): NotesFolder => ({
    prefix,
    daily,
    privateRules: rulesForFolder(folder, [...resolveRules(folder, ownRules), ...rules]),
  })
  return [
    notesFolder(workspace, '', conventions.effective.daily),
    ...extraFolders(options).map((folder) => notesFolder(folder, `${folder}/`)),
    ...options
      .sharedMemories()
      .map(({ agent, workspace: folder, layout, privateRules }) =>
        notesFolder(folder, `@${agent}/`, layout.daily, privateRules),
      ),
  ]
}

export function privateRulesOf({ workspace, config }: AgentOptions): PrivateRules {
  return rulesForFolder(workspace, resolveRules(workspace, config.current.visibility.private))
}

/** @param path absolute */
export function allPrivateRules(options: AgentOptions, path: string): PrivateRules {
  const memories = options.allMemories()
  const rules = memories.flatMap(({ workspace, privateRules }) => resolveRules(workspace, privateRules))
  return rulesForFolder(path, rules)
}

export function layoutOfConventions({
  effective: { daily, ignored, own, longTermFiles },
}: Pick<Conventions, 'effective'>): Layout {
  return { ...createLayout(own, longTermFiles[0]), daily, ignored }
}

function isInWorkspaceIndex(folder: string, { workspace, config }: AgentOptions): boolean {
  if (config.current.memory.scope === 'memory' || !isInside(workspace, folder)) return false
  return !isIgnoredPath(relative(workspace, folder).split(sep))
}

function otherFolders(options: AgentOptions) {
  return [
    ...extraFolders(options).map((folder) => ({ source: 'extra' as const, folder, prefix: `${folder}/` })),
    ...options.sharedMemories().map(({ agent, workspace: folder, layout }) => ({
      source: 'shared' as const,
      folder,
      prefix: `@${agent}/`,
      layout,
    })),
  ]
}

/** Returns `memory.extraPaths` without folders of other agents: only `shareWith` gives access to those. */
function extraFolders({ config, forbiddenFolders }: AgentOptions): string[] {
  const forbidden = forbiddenFolders()
  return config.current.memory.extraPaths
    .map((path) => expandHome(path))
    .filter((path) => !forbidden.some((folder) => isInside(folder, path)))
}

/** Texts per embedding request: few enough for a slow server, and a failed request costs little. */
const batchSize = 64

function embeddingSource(
  embedding: AgentSettings['memory']['embedding'],
  { keys, modelsFolder, outboundFile, resources }: AgentOptions,
): EmbeddingSource {
  const { provider, model, baseUrl, allowDownload, reach } = embedding
  return {
    provider,
    model: modelOf(provider, model),
    baseUrl,
    batchSize,
    apiKey: keys.get(provider),
    isLocal: !isRemoteEmbeddingProvider(provider) || isLocalEndpoint(reach, baseUrl, undefined),
    allowDownload,
    modelsFolder,
    outboundFile,
    builtinFile: builtinModelFile(resources),
  }
}
