/** Project-context files, included in every request in this order. */
export const contextNames = ['AGENTS.md', 'SOUL.md', 'USER.md', 'TOOLS.md'] as const
/** Names of the long-term memory, the preferred one first. A workspace uses one of them. */
export const longTermNames = ['MEMORY.md', 'Memory.md', 'memory.md'] as const
export const [longTermName] = longTermNames
export function isLongTermPath(path: string): boolean {
  return longTermNames.some((name) => path === name || path.endsWith(`/${name}`))
}

export const agentFileNames = [...contextNames, longTermName] as const

/** The app's own hidden folder of a workspace. The agent's files may be here, separate from the notes of a vault. */
export const appFolderName = '.commonplace'

/**
 * Returns true if an agent's files may be in `folder` (workspace-relative): the top, the app's own folder, or a path
 * without hidden folders or `node_modules`. Files in hidden folders such as `.claude` or `.github` control other
 * programs.
 */
export function mayHoldAgentFiles(folder: string): boolean {
  if (folder === '' || folder === appFolderName) return true
  return folder.split(/[\\/]/).every((segment) => !segment.startsWith('.') && segment !== 'node_modules')
}

/** Returns the session id for `sessions/1a2b.jsonl`, undefined for any other file. */
export function sessionOfPath(path: string): string | undefined {
  return /^sessions\/([^/]+)\.jsonl$/.exec(path)?.[1]
}
