/** Read into every request, in this order. */
export const contextNames = ['AGENTS.md', 'SOUL.md', 'USER.md', 'TOOLS.md'] as const
export const longTermName = 'MEMORY.md'
export const ownNames = [...contextNames, longTermName] as const

/** The one hidden folder of a workspace that is ours: such files may lie there, out of the way of a vault's notes. */
export const ownFolderName = '.commonplace'

/** By its name alone, whatever folder it lies in. */
export function hasOwnName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return ownNames.some((own) => own === name)
}

/**
 * Whether an agent's files may lie in a folder: at the top, in ours, or in one that is not hidden, since other programs
 * obey what lies in theirs (`.claude`, `.github`).
 */
export function isOwnFolder(folder: string): boolean {
  if (folder === '' || folder === ownFolderName) return true
  return folder.split(/[\\/]/).every((step) => !step.startsWith('.') && step !== 'node_modules')
}
