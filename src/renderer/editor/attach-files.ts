import { AppError } from '#shared/util/errors.ts'
import { client } from '#lib/api/client.ts'
import type { monaco } from '#lib/util/monaco.ts'

/** Size limit of an attached file in bytes. Larger files can be put into the folder with the file manager. */
const maxAttached = 20 * 1024 * 1024

/** Returns undefined if the transfer has text, too: a copied table carries an image of itself. */
function filesOf(transfer: DataTransfer | null): File[] | undefined {
  if (!transfer || transfer.files.length === 0 || transfer.types.includes('text/plain')) return undefined
  return [...transfer.files]
}

/**
 * Handles files pasted or dropped into an editor before Monaco does.
 * @param take stores a file and returns the link to insert, or undefined if that failed and a toast was shown
 * @returns a disposable that removes the handlers
 */
export function handlePastedFiles(
  frame: HTMLElement,
  editor: monaco.editor.IStandaloneCodeEditor,
  take: (file: File) => Promise<string | undefined>,
): { dispose(): void } {
  const insert = async (files: readonly File[]) => {
    for (const file of files) {
      const link = await take(file)
      const range = editor.getSelection()
      if (link === undefined || !range) continue
      editor.pushUndoStop()
      editor.executeEdits('attach', [{ range, text: files.length > 1 ? `${link}\n` : link, forceMoveMarkers: true }])
      editor.pushUndoStop()
    }
  }
  const stop = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  const onPaste = (event: ClipboardEvent) => {
    const files = filesOf(event.clipboardData)
    if (!files) return
    stop(event)
    void insert(files)
  }
  const onDragOver = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) stop(event)
  }
  const onDrop = (event: DragEvent) => {
    const files = filesOf(event.dataTransfer)
    if (!files) return
    stop(event)
    const position = editor.getTargetAtClientPoint(event.clientX, event.clientY)?.position
    if (position) editor.setPosition(position)
    editor.focus()
    void insert(files)
  }
  frame.addEventListener('paste', onPaste, true)
  frame.addEventListener('dragover', onDragOver, true)
  frame.addEventListener('drop', onDrop, true)
  return {
    dispose() {
      frame.removeEventListener('paste', onPaste, true)
      frame.removeEventListener('dragover', onDragOver, true)
      frame.removeEventListener('drop', onDrop, true)
    },
  }
}

/**
 * Stores a file next to a note.
 * @returns its path, and a link in the vault's own syntax
 * @throws AppError 'file_too_large' above 20 MiB, and the errors of `workspace.attach`
 */
export async function attachTo(agent: string, note: string, file: File): Promise<{ path: string; link: string }> {
  if (file.size > maxAttached) {
    const megabytes = Math.ceil(file.size / 1024 / 1024)
    throw new AppError('file_too_large', `${file.name} has ${megabytes} MB`, { path: file.name, megabytes })
  }
  return client.workspace.attach({ agent, path: note, name: nameOf(file), data: await base64Of(file) })
}

/** Browsers name every copied image `image.png`, so the time is added to the name. */
function nameOf(file: File): string {
  if (!/^image\.\w+$/.test(file.name)) return file.name
  const now = new Date()
  const pad = (value: number) => String(value).padStart(2, '0')
  const date = [now.getFullYear(), pad(now.getMonth() + 1), pad(now.getDate())].join('')
  const time = [pad(now.getHours()), pad(now.getMinutes()), pad(now.getSeconds())].join('')
  return file.name.replace(/^image/, `image-${date}-${time}`)
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')))
    reader.addEventListener('error', () => reject(reader.error ?? new Error(`${file.name} cannot be read`)))
    reader.readAsDataURL(file)
  })
}
