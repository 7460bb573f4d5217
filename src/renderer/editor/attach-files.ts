import { AppError } from '#shared/util/errors.ts'
import { client } from '#lib/api/client.ts'
import type { monaco } from '#lib/util/monaco.ts'

/** Bytes of one file; larger ones are put into the folder by hand. */
const maxAttached = 20 * 1024 * 1024

/** Undefined where text comes with it: a copied table has a picture of itself beside what it says. */
function filesOf(transfer: DataTransfer | null): File[] | undefined {
  if (!transfer || transfer.files.length === 0 || transfer.types.includes('text/plain')) return undefined
  return [...transfer.files]
}

/**
 * Takes files that are pasted or dropped into an editor before it does.
 * @param take puts a file away; undefined where that failed, which was told
 * @returns what takes none any more
 */
export function takeFiles(
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

/** @returns the link, as the vault writes its own @throws as `workspace.attach` */
export async function attachTo(agent: string, note: string, file: File): Promise<{ path: string; link: string }> {
  if (file.size > maxAttached) {
    const megabytes = Math.ceil(file.size / 1024 / 1024)
    throw new AppError('file_too_large', `${file.name} has ${megabytes} MB`, { path: file.name, megabytes })
  }
  return client.workspace.attach({ agent, path: note, name: nameOf(file), data: await base64Of(file) })
}

/** What is copied from a screen is called `image.png` by every browser: it gets the moment as its name. */
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
