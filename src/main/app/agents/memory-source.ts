import { join, relative, sep } from 'node:path'
import { isRemoteEmbeddingProvider } from '#shared/util/providers.ts'
import { isLocalEndpoint } from '#shared/util/locality.ts'
import { modelOf, type EmbeddingSource, sessionsPrefix, type MemorySource } from '#search'
import { expandHome, type AgentSettings, isKeyName } from '#platform'
import {
  type ConventionsReader,
  isIgnoredPath,
  createLayout,
  type Layout,
  isInside,
  type ReadableFolder,
} from '#workspace'
import { resolveRules, rulesForFolder, type NotesFolder } from '#workspace/privacy'
import type { AgentOptions } from './agent-options.ts'

export function readableFolders(options: AgentOptions): ReadableFolder[] {
  return otherFolders(options).map(({ source, ...folder }) => ({ ...folder, isMemoryOnly: source === 'shared' }))
}

export function builtinModelFile(resources: string): string {
  return join(resources, 'models', 'builtin', 'model.bin')
}

const indexDebounceMs = 1500

export function memorySource(options: AgentOptions): MemorySource {
  const { embedding, sessions, scope } = options.config.current.memory
  const layout = layoutOfConventions(options.conventions)
  const forbidden = options.forbiddenFolders()
  return {
    file: options.folders.index,
    folders: [
      { source: 'memory', folder: options.workspace, prefix: '', forbidden, scope, layout },
      // The source `memory` already covers most folders inside the workspace.
      ...otherFolders(options)
        .filter(({ folder }) => !isInWorkspaceIndex(folder, options))
        .map((source) => ({
          ...source,
          forbidden: isInside(source.folder, options.workspace) ? [...forbidden, options.workspace] : forbidden,
        })),
      ...(sessions
        ? [{ source: 'sessions' as const, folder: options.folders.sessions, prefix: sessionsPrefix, forbidden: [] }]
        : []),
    ],
    debounceMs: indexDebounceMs,
    embedding: embeddingSource(embedding, options),
    notes: foldersWithPrivateRules(options),
  }
}

/** Returns the folders that the agent can read, its workspace first, each with its rules for private notes. */
export function foldersWithPrivateRules(options: AgentOptions): NotesFolder[] {
  const { workspace, config } = options
  const rules = config.current.visibility.private.map((rule) => expandHome(rule))
  const resolvedRules = resolveRules(workspace, rules)
  return [
    {
      folder: workspace,
      prefix: '',
      forbidden: options.forbiddenFolders(),
      privateRules: rulesForFolder(workspace, rules, resolvedRules),
    },
    ...extraFolders(options).map((folder) => ({
      folder,
      prefix: `${folder}/`,
      forbidden: [],
      privateRules: rulesForFolder(folder, [], resolvedRules),
    })),
    ...options.sharedMemories().map(({ agent, workspace: folder, privateRules }) => {
      const ownerRules = privateRules.map((rule) => expandHome(rule))
      const allRules = [...resolveRules(folder, ownerRules), ...resolvedRules]
      return {
        folder,
        prefix: `@${agent}/`,
        forbidden: [],
        privateRules: rulesForFolder(folder, ownerRules, allRules),
      }
    }),
  ]
}

/** Returns the rules of all agents that cover files in this folder (absolute path). */
export function privateRulesFor(options: AgentOptions, folder: string): string[] {
  const resolvedRules = options.allMemories().flatMap(({ workspace, privateRules }) =>
    resolveRules(
      workspace,
      privateRules.map((rule) => expandHome(rule)),
    ),
  )
  return rulesForFolder(folder, [], resolvedRules)
}

/** Returns the conventions about file names as a plain object that can be sent to a worker. */
export function layoutOfConventions({
  effective: { daily, ignored, own },
}: Pick<ConventionsReader, 'effective'>): Layout {
  return { daily, ignored, own }
}

function isInWorkspaceIndex(folder: string, { workspace, config }: AgentOptions): boolean {
  if (config.current.memory.scope === 'memory' || !isInside(workspace, folder)) return false
  return !isIgnoredPath(relative(workspace, folder).split(sep))
}

function otherFolders(options: AgentOptions) {
  return [
    ...extraFolders(options).map((folder) => ({ source: 'extra' as const, folder, prefix: `${folder}/` })),
    ...options.sharedMemories().map(({ agent, workspace: folder, agentFolder }) => ({
      source: 'shared' as const,
      folder,
      prefix: `@${agent}/`,
      own: agentFolder,
      layout: createLayout(agentFolder),
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
  { keys, modelsFolder, outboundFile, resources, embeddingProvider }: AgentOptions,
): EmbeddingSource {
  const { model, baseUrl, allowDownload, reach } = embedding
  const provider = embeddingProvider ?? embedding.provider
  const apiKey = isKeyName(provider) ? keys.get(provider) : undefined
  return {
    provider,
    model: modelOf(provider, model),
    baseUrl,
    batchSize,
    apiKey,
    isLocal: !isRemoteEmbeddingProvider(provider) || isLocalEndpoint(reach, baseUrl, undefined),
    allowDownload,
    modelsFolder,
    outboundFile,
    builtinFile: builtinModelFile(resources),
  }
}
