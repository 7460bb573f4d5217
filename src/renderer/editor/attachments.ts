import { AppError } from '#shared/util/errors.ts'
import { client, api } from '#lib/api/client.ts'
import { isoDate, isoTime } from '#lib/i18n/format.ts'
import type { monaco } from '#lib/util/monaco.ts'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { attachmentKind, type AttachmentKind } from '#shared/util/attachments.ts'

/** Size limit of an attached file in bytes. Larger files can be put into the folder with the file manager. */
const maxFileBytes = 20 * 1024 * 1024

/** Returns the pasted or dropped files. Undefined if there is also text: a copied table includes an image of itself. */
function filesOf(transfer: DataTransfer | null): File[] | undefined {
  if (!transfer || transfer.files.length === 0 || transfer.types.includes('text/plain')) return undefined
  return [...transfer.files]
}

/**
 * Handles files pasted or dropped into an editor before Monaco does.
 * @param storeFile stores a file and returns the link to insert, or undefined if that failed and a toast was shown
 * @returns a disposable that removes the handlers
 */
export function handlePastedFiles(
  container: HTMLElement,
  editor: monaco.editor.IStandaloneCodeEditor,
  storeFile: (file: File) => Promise<string | undefined>,
): { dispose(): void } {
  const insertLinks = async (files: readonly File[]) => {
    for (const file of files) {
      const link = await storeFile(file)
      const range = editor.getSelection()
      if (link === undefined || !range) continue
      editor.pushUndoStop()
      editor.executeEdits('attach', [{ range, text: files.length > 1 ? `${link}\n` : link, forceMoveMarkers: true }])
      editor.pushUndoStop()
    }
  }
  const cancelEvent = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  const onPaste = (event: ClipboardEvent) => {
    const files = filesOf(event.clipboardData)
    if (!files) return
    cancelEvent(event)
    void insertLinks(files)
  }
  const onDragOver = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) cancelEvent(event)
  }
  const onDrop = (event: DragEvent) => {
    const files = filesOf(event.dataTransfer)
    if (!files) return
    cancelEvent(event)
    const position = editor.getTargetAtClientPoint(event.clientX, event.clientY)?.position
    if (position) editor.setPosition(position)
    editor.focus()
    void insertLinks(files)
  }
  const controller = new AbortController()
  const options = { capture: true, signal: controller.signal }
  container.addEventListener('paste', onPaste, options)
  container.addEventListener('dragover', onDragOver, options)
  container.addEventListener('drop', onDrop, options)
  return { dispose: () => controller.abort() }
}

/**
 * Stores a file next to a note.
 * @returns the path of the stored file, and a link in the link syntax of the vault
 * @throws AppError 'file_too_large' above 20 MiB, and the errors of `workspace.attach`
 */
export async function attachToNote(
  agent: string,
  notePath: string,
  file: File,
): Promise<{ path: string; link: string }> {
  if (file.size > maxFileBytes) {
    const megabytes = Math.ceil(file.size / 1024 / 1024)
    throw new AppError('file_too_large', `${file.name} (${megabytes} MB) exceeds 20 MB`, { path: file.name, megabytes })
  }
  const data = (await file.bytes()).toBase64()
  return client.workspace.attach({ agent, path: notePath, name: attachmentName(file), data })
}

/** Returns the name of a file. Adds the time to `image.png`, the name that browsers give every copied image. */
function attachmentName(file: File): string {
  if (!/^image\.\w+$/.test(file.name)) return file.name
  const now = new Date()
  const date = isoDate(now).replaceAll('-', '')
  const time = isoTime(now).replaceAll(':', '')
  return file.name.replace(/^image/, `image-${date}-${time}`)
}

/** More files than this are hidden until the user shows them. */
const maxShownByDefault = 300

const storageKey = (agent: string) => `commonplace.others.${agent}`

/** Lists the files of a memory that are not notes, if the user shows them. */
export function useAttachmentList(agent: string) {
  const status = useQuery(api.search.status.queryOptions({ input: { agent } })).data
  // Listing the files reads all notes, so it waits until the index is ready.
  const isReady = status !== undefined && status.state !== 'starting' && status.state !== 'rebuilding'
  const files = useQuery(api.links.files.queryOptions({ input: { agent }, staleTime: 60_000, enabled: isReady })).data
  const allPaths = useMemo(
    () => (files ?? []).map(({ path }) => path).filter((path) => attachmentOrCanvasKind(path) !== undefined),
    [files],
  )
  const [choice, setChoice] = useState<string | null>(() => localStorage.getItem(storageKey(agent)))
  const isShown = choice === null ? allPaths.length <= maxShownByDefault : choice === 'yes'
  return {
    /** Sorted; empty while hidden. */
    paths: useMemo(() => (isShown ? allPaths : []), [isShown, allPaths]),
    count: allPaths.length,
    isShown,
    toggle() {
      const next = isShown ? 'no' : 'yes'
      localStorage.setItem(storageKey(agent), next)
      setChoice(next)
    },
  }
}

/** Returns the kind of an attachment or canvas, or undefined for a note or an unsupported file. */
export function attachmentOrCanvasKind(path: string): AttachmentKind | 'canvas' | undefined {
  return /\.canvas$/i.test(path) ? 'canvas' : attachmentKind(path)
}
