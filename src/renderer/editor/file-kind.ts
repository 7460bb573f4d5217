import { attachmentKind, type AttachmentKind } from '#shared/util/attachments.ts'

/** Returns true for an Obsidian canvas. */
export function isCanvas(path: string): boolean {
  return /\.canvas$/i.test(path)
}

/** Returns the kind of a file that is not a note, or undefined if it cannot be shown. */
export function nonNoteKind(path: string): AttachmentKind | 'canvas' | undefined {
  return isCanvas(path) ? 'canvas' : attachmentKind(path)
}
