const mimeTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  svg: 'image/svg+xml',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  pdf: 'application/pdf',
}

export type AttachmentKind = 'image' | 'audio' | 'video' | 'document'

/** Returns the MIME type by file extension, or undefined if the extension is not a supported attachment. */
export function attachmentType(path: string): string | undefined {
  const extension = /\.([a-z\d]{2,5})$/i.exec(path)?.[1]?.toLowerCase()
  return extension !== undefined && Object.hasOwn(mimeTypes, extension) ? mimeTypes[extension] : undefined
}

export function attachmentKind(path: string): AttachmentKind | undefined {
  const [kind] = attachmentType(path)?.split('/') ?? []
  if (kind === undefined) return undefined
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}
