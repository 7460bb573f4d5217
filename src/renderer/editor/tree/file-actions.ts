/** Actions on files. Failed actions show a toast and return false or undefined. */
import { t } from 'i18next'
import { client } from '#lib/api/client.ts'
import { showChange } from '#lib/feedback/change-toast.ts'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'
import { download } from '#lib/util/download.ts'

export async function createNote(agent: string, path: string, text: string): Promise<boolean> {
  return (await runWithErrorToast(client.workspace.write({ agent, path, text, expectedHash: null }))) !== undefined
}

/** Returns the path of the copy. */
export async function duplicateFile(agent: string, path: string): Promise<string | undefined> {
  return (await runWithErrorToast(client.workspace.duplicate({ agent, path })))?.value.path
}

export async function removeFile(agent: string, path: string): Promise<boolean> {
  const removal = await runWithErrorToast(client.workspace.remove({ agent, path }))
  if (!removal) return false
  showChange(t('file.deleted', { path }), agent, removal.value.change, { look: 'plain' })
  return true
}

export async function setPrivate(agent: string, path: string, isPrivate: boolean): Promise<void> {
  const result = await runWithErrorToast(client.workspace.setVisibility({ agent, path, isPrivate }))
  const text = t(isPrivate ? 'private.locked' : 'private.opened', { path })
  if (result) showChange(text, agent, result.value.change, { look: 'plain' })
}

/** Makes a folder private with a rule in the settings, or removes the rule. */
export async function setFolderPrivate(agent: string, path: string, isPrivate: boolean): Promise<void> {
  if (!(await runWithErrorToast(client.workspace.setFolderVisibility({ agent, path, isPrivate })))) return
  const undo = () => client.workspace.setFolderVisibility({ agent, path, isPrivate: !isPrivate })
  showSuccess(t(isPrivate ? 'private.locked' : 'private.opened', { path }), undo, { look: 'plain' })
}

/** Downloads a note and its attachments as a zip archive. */
export async function exportNote(agent: string, path: string): Promise<void> {
  const archive = await runWithErrorToast(client.import.packNote({ agent, path }))
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
  if (archive) download(`${name}.zip`, archive.value)
}

/** Shows a file in the file manager, or opens it in its program. */
export function revealFile(agent: string, path: string, shouldOpen: boolean): void {
  void runWithErrorToast(client.workspace.reveal({ agent, path, open: shouldOpen }))
}
