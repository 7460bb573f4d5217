import { AppError } from '#shared/util/errors.ts'
import { client, api, queryClient } from '#lib/api/client.ts'
import { clipLine } from '#lib/util/clip.ts'
import { isoDate, isoTime } from '#lib/i18n/format.ts'
import type { monaco } from '#lib/util/monaco.ts'
import { useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { useMemo, useState } from 'react'
import { toast } from 'sonner'
import { attachmentKind, type AttachmentKind } from '#shared/util/attachments.ts'

/** Size limit of an attached file in bytes. Larger files can be put into the folder with the file manager. */
const maxFileBytes = 20 * 1024 * 1024

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
  const takeFiles = (event: Event, transfer: DataTransfer | null) => {
    // A copied table includes an image of itself.
    if (!transfer || transfer.files.length === 0 || transfer.types.includes('text/plain')) return
    cancelEvent(event)
    if (event instanceof DragEvent) {
      const position = editor.getTargetAtClientPoint(event.clientX, event.clientY)?.position
      if (position) editor.setPosition(position)
      editor.focus()
    }
    void insertLinks([...transfer.files])
  }
  const onDragOver = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) cancelEvent(event)
  }
  const controller = new AbortController()
  const options = { capture: true, signal: controller.signal }
  container.addEventListener('paste', (event) => takeFiles(event, event.clipboardData), options)
  container.addEventListener('dragover', onDragOver, options)
  container.addEventListener('drop', (event) => takeFiles(event, event.dataTransfer), options)
  return { dispose: () => controller.abort() }
}

/** @returns a link to the stored file in the link syntax of the vault @throws the errors of `workspace.attach` */
export async function attachToNote(agent: string, notePath: string, file: File): Promise<string> {
  if (file.size > maxFileBytes) {
    const megabytes = Math.ceil(file.size / 1024 / 1024)
    throw new AppError('file_too_large', `${file.name} (${megabytes} MB) exceeds 20 MB`, { path: file.name, megabytes })
  }
  const data = (await file.bytes()).toBase64()
  const { path, link } = await client.workspace.attach({ agent, path: notePath, name: attachmentName(file), data })
  toast.success(t('file.attached', { path: clipLine(path) }))
  await queryClient.invalidateQueries({ queryKey: api.links.files.key() })
  return link
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

/** The files of a memory that are not notes. */
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
