import type { Attachment } from '#shared/contract/index.ts'
import { FileText, X } from 'lucide-react'
import { t } from 'i18next'
import { IconButton } from '#lib/ui/elements.tsx'

const maxTextBytes = 500_000
/** Maximum width and height, px. Models scale larger images down, so sending them only costs time and tokens. */
const maxPixels = 2000
const supportedImages = /^image\/(png|jpeg|gif|webp)$/

type AttachProblem = 'notText' | 'tooLarge' | 'badPicture'

export async function toAttachment(file: File): Promise<Attachment | AttachProblem> {
  return supportedImages.test(file.type) ? readImage(file) : readTextFile(file)
}

/** Appends an attachment and makes its name unique, since pasted images share one name. */
export function withUniqueName(attachments: readonly Attachment[], added: Attachment): Attachment[] {
  const takenNames = new Set(attachments.map(({ name }) => name))
  const [, baseName = added.name, extension = ''] = /^(.+?)(\.[^.]*)?$/s.exec(added.name) ?? []
  let { name } = added
  for (let number = 2; takenNames.has(name); number += 1) name = `${baseName} ${number}${extension}`
  return [...attachments, { ...added, name }]
}

async function readTextFile(file: File): Promise<Attachment | AttachProblem> {
  if (file.size > maxTextBytes) return 'tooLarge'
  const bytes = await file.arrayBuffer()
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? 'notText' : { type: 'file', name: file.name, text }
  } catch (error) {
    if (error instanceof TypeError) return 'notText'
    throw error
  }
}

async function readImage(file: File): Promise<Attachment | AttachProblem> {
  let bitmap: ImageBitmap
  try {
    bitmap = await createImageBitmap(file)
  } catch (error) {
    if (error instanceof DOMException) return 'badPicture'
    throw error
  }
  const scale = Math.min(1, maxPixels / Math.max(bitmap.width, bitmap.height))
  const isUnscaled = scale === 1
  const blob = isUnscaled ? file : await scaleImage(bitmap, scale)
  bitmap.close()
  return {
    type: 'image',
    name: file.name,
    data: (await blob.bytes()).toBase64(),
    mimeType: isUnscaled ? file.type : 'image/png',
  }
}

async function scaleImage(bitmap: ImageBitmap, scale: number): Promise<Blob> {
  const canvas = new OffscreenCanvas(Math.round(bitmap.width * scale), Math.round(bitmap.height * scale))
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas.convertToBlob({ type: 'image/png' })
}

interface AttachmentChipProps {
  readonly name: string
  /** URL of a thumbnail; undefined for a file. */
  readonly picture?: string | undefined
  readonly onRemove?: (() => void) | undefined
}

export function AttachmentChip({ name, picture, onRemove }: AttachmentChipProps) {
  return (
    <span className="inline-flex h-8 max-w-56 items-center gap-2 rounded-sm border border-line bg-raised pr-1.5 pl-1.5 text-[12px]">
      {picture ? (
        <img src={picture} alt={name} className="size-6 rounded-[4px] object-cover" />
      ) : (
        <FileText size={14} aria-hidden className="text-muted" />
      )}
      <span className="truncate">{name}</span>
      {onRemove && (
        <IconButton
          icon={X}
          size={12}
          label={t('chat.removeAttachment', { name })}
          className="size-6!"
          onClick={onRemove}
        />
      )}
    </span>
  )
}
