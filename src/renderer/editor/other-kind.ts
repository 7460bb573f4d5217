import { attachmentKind, type AttachmentKind } from '#shared/util/attachments.ts'

/** Cards and arrows, as Obsidian keeps them. */
export function isCanvas(path: string): boolean {
  return /\.canvas$/i.test(path)
}

export function otherKind(path: string): AttachmentKind | 'canvas' | undefined {
  return isCanvas(path) ? 'canvas' : attachmentKind(path)
}
