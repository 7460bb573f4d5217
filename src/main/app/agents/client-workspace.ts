/** What other programs may see of an agent's files: not what the user keeps out of the memory, and nothing but notes. */
import { normalizeRequest, unsearchedFor, type Workspace } from '#workspace'

type Scope = Parameters<typeof unsearchedFor>[1]

export function isForPrograms(workspace: Workspace, path: string, scope: Scope): boolean {
  // Folders elsewhere have rules of their own, and conversations are asked for by id.
  if (/^sessions\/[^/]+\.jsonl$/.test(path) || workspace.isReadOnly(path)) return true
  const reason = unsearchedFor(normalizeRequest(path), scope, workspace.layout)
  return reason === undefined || reason === 'project'
}
