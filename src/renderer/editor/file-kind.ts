import { attachmentKind, type AttachmentKind } from '#shared/util/attachments.ts'

export function isCanvas(path: string): boolean {
  return /\.canvas$/i.test(path)
}

/** Returns the kind of an attachment or canvas, or undefined for a note or an unsupported file. */
export function attachmentOrCanvasKind(path: string): AttachmentKind | 'canvas' | undefined {
  return isCanvas(path) ? 'canvas' : attachmentKind(path)
}
