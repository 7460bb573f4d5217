import { useMemo } from 'react'
import { t } from 'i18next'
import { client } from '#lib/api/client.ts'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'
import { download } from '#lib/util/download.ts'

/** Failed actions show a toast and return false or undefined. */
export interface FileActions {
  readonly agent: string
  create(path: string, text?: string): Promise<boolean>
  /** Returns the path of the copy. */
  duplicate(path: string): Promise<string | undefined>
  remove(path: string): Promise<boolean>
  /** Shows a file in the file manager, or opens it in its program. */
  reveal(path: string, shouldOpen: boolean): void
  /** Downloads a note and its attachments as a zip archive. */
  exportNote(path: string): Promise<void>
  setLocal(path: string, isLocal: boolean): Promise<void>
  /** Marks a folder as local with a rule in the settings, or removes the rule. */
  setFolderLocal(path: string, isLocal: boolean): Promise<void>
}

export function useFileActions(agent: string): FileActions {
  return useMemo(
    () => ({
      agent,
      async create(path, text = '') {
        const result = await runWithErrorToast(client.workspace.write({ agent, path, text, expectedHash: null }))
        return result !== undefined
      },
      async duplicate(path) {
        return (await runWithErrorToast(client.workspace.duplicate({ agent, path })))?.value.path
      },
      async remove(path) {
        const removal = await runWithErrorToast(client.workspace.remove({ agent, path }))
        if (!removal) return false
        const undo = () => client.workspace.restore({ agent, trashed: removal.value.trashed })
        showSuccess(t('file.deleted', { path }), undo, { look: 'plain' })
        return true
      },
      async setLocal(path, isLocal) {
        const change = await runWithErrorToast(client.workspace.setVisibility({ agent, path, isLocal }))
        if (!change) return
        const undo = () => client.workspace.undo({ agent, path, patch: change.value.patch })
        showSuccess(t(isLocal ? 'local.locked' : 'local.opened', { path }), undo, { look: 'plain' })
      },
      async setFolderLocal(path, isLocal) {
        if (!(await runWithErrorToast(client.workspace.setFolderVisibility({ agent, path, isLocal })))) return
        const undo = () => client.workspace.setFolderVisibility({ agent, path, isLocal: !isLocal })
        showSuccess(t(isLocal ? 'local.locked' : 'local.opened', { path }), undo, { look: 'plain' })
      },
      async exportNote(path) {
        const archive = await runWithErrorToast(client.import.packNote({ agent, path }))
        const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
        if (archive) download(`${name}.zip`, archive.value)
      },
      reveal: (path, shouldOpen) => void runWithErrorToast(client.workspace.reveal({ agent, path, open: shouldOpen })),
    }),
    [agent],
  )
}
