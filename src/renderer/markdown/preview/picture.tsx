import { ImageOff, ExternalLink, FileText, Film, FolderOpen, Music, Play } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import { attachmentKind } from '#shared/util/attachments.ts'
import { formatTarget } from '#shared/markdown/links/link-target.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { formatBytes } from '#lib/i18n/format.ts'
import { clipLine } from '#lib/util/clip.ts'
import { api, client } from '#lib/api/client.ts'
import { IconButton } from '#lib/ui/button.tsx'
import { Anchor } from '../document/elements.tsx'
import { decodeTarget } from '../parse/link-addresses.ts'
import { useDocumentContext } from '../document/context.ts'
import { isShownAsPage, RemotePicture, WebPage } from './remote-picture.tsx'

interface PictureProps {
  readonly path: string
  readonly alt: string
  /** px; undefined for the natural width. */
  readonly width: number | undefined
}

/** Larger images load on request. Audio and video always load on request, since they are rarely played. */
const maxAutoLoadBytes = 12 * 1024 * 1024
/** After this time a file is loaded again, since it may have changed on disk, and a hidden file is dropped. */
const freshMs = 30_000

/**
 * Loads an attachment while the component is mounted. Images load one after the other: a page of them must not block
 * other requests.
 * @param isRequested loads it even if it is large
 * @returns the address of its content once it is loaded, or its size in bytes if it is over the limit
 */
function useAttachment(agent: string, path: string, isRequested: boolean) {
  const { data, error } = useQuery({
    queryKey: ['attachment', agent, path, isRequested],
    queryFn: () => {
      if (isRequested) return loadAttachment(agent, path, true)
      const loading = lastLoading.then(() => loadAttachment(agent, path, false))
      lastLoading = loading.catch(() => undefined)
      return loading
    },
    enabled: attachmentKind(path) === 'image' || isRequested,
    staleTime: freshMs,
    gcTime: freshMs,
  })
  const url = useMemo(() => (data instanceof Blob ? URL.createObjectURL(data) : undefined), [data])
  useEffect(() => () => URL.revokeObjectURL(url ?? ''), [url])
  return { url, error, largeSize: typeof data === 'number' ? data : undefined }
}

let lastLoading: Promise<unknown> = Promise.resolve()

/** Returns the content, or the size in bytes if it is over the limit. */
async function loadAttachment(agent: string, path: string, isRequested: boolean): Promise<Blob | number> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let from = 0
  for (;;) {
    const { data, size, type } = await client.workspace.attachment({ agent, path, from })
    if (size > maxAutoLoadBytes && !isRequested) return size
    const part = Uint8Array.fromBase64(data)
    parts.push(part)
    from += part.length
    if (from >= size || part.length === 0) return new Blob(parts, { type })
  }
}

/** Rendered sizes by path, so that an image reserves its space when it renders again. */
const sizes = new Map<string, { readonly width: number; readonly height: number }>()

export function Picture({ path, alt, width }: PictureProps) {
  const { agent } = useDocumentContext()
  const [isRequested, setIsRequested] = useState(false)
  const [isBroken, setIsBroken] = useState(false)
  const { url, error, largeSize } = useAttachment(agent, path, isRequested)
  const size = sizes.get(path)
  if (isBroken) return <MissingImage name={alt || path} reason={t('reading.brokenPicture')} />
  if (error) return <MissingImage name={alt || path} reason={explainError(error)} />
  if (largeSize !== undefined)
    return (
      <button type="button" className="no-picture" onClick={() => setIsRequested(true)}>
        {t('reading.showPicture', { name: clipLine(alt || path, 100), size: formatBytes(largeSize) })}
      </button>
    )
  return (
    <img
      src={url}
      alt={alt}
      title={alt}
      decoding="async"
      className="picture"
      width={width}
      style={size ? { aspectRatio: `${size.width} / ${size.height}`, width: width ?? size.width } : undefined}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
        if (naturalWidth > 0) sizes.set(path, { width: naturalWidth, height: naturalHeight })
      }}
      onError={() => url !== undefined && setIsBroken(true)}
    />
  )
}

export function MissingImage({ name, reason }: { name: string; reason: string }) {
  return (
    <span className="no-picture" title={reason}>
      <ImageOff size={13} aria-hidden />
      {clipLine(name, 100)}
      <span className="text-muted">{clipLine(reason, 120)}</span>
    </span>
  )
}

/** Renders `![alt|200](address)` for files, web pages and remote images. */
export function LinkedPicture({ src = '', alt = '' }: { src?: string; alt?: string }) {
  const { links } = useDocumentContext()
  const { name, width } = parseImageLabel(alt)
  const target = decodeTarget(src)
  const path = target === undefined ? undefined : links?.resolve('inline', target)
  if (path !== undefined && attachmentKind(path) !== undefined)
    return <AttachmentView path={path} alt={name} width={width} />
  // A file without a preview, such as a canvas, becomes a link.
  if (target !== undefined && path !== undefined) return <Anchor href={src}>{name || formatTarget(target)}</Anchor>
  if (target !== undefined) return <MissingImage name={name || formatTarget(target)} reason={t('reading.noPicture')} />
  if (isShownAsPage(src)) return <WebPage address={src} label={name} />
  if (/^https?:/i.test(src)) return <RemotePicture address={src} alt={name} width={width} />
  return <MissingImage name={name || src} reason={t('reading.outside')} />
}

export function AttachmentView({ path, alt, width }: PictureProps) {
  return attachmentKind(path) === 'image' ? (
    <Picture path={path} alt={alt} width={width} />
  ) : (
    <AttachmentCard path={path} label={alt} />
  )
}

/**
 * Splits `name|200` or `name|200x100` into name and width in px; the height is ignored.
 * @returns the whole label and an undefined width if there is no size
 */
export function parseImageLabel(label: string): { readonly name: string; readonly width: number | undefined } {
  const [match, name = '', width] = /^([^]*?)\|?\s*(?<=^|\|\s*)(\d{1,4})(?:x\d{1,4})?\s*$/.exec(label) ?? []
  return match === undefined ? { name: label, width: undefined } : { name: name.trim(), width: Number(width) }
}

const icons = { audio: Music, video: Film, document: FileText, image: FileText } as const

function AttachmentCard({ path, label }: { path: string; label: string }) {
  const { agent } = useDocumentContext()
  const [isPlaying, setIsPlaying] = useState(false)
  const { mutate: reveal } = useMutation(api.workspace.reveal.mutationOptions())
  const kind = attachmentKind(path) ?? 'document'
  const { url, error } = useAttachment(agent, path, isPlaying)
  const Icon = icons[kind]
  return (
    <span className="attachment">
      <span className="flex items-center gap-2">
        <Icon size={15} aria-hidden className="shrink-0 text-muted" />
        <span className="min-w-0 flex-1 truncate" title={path}>
          {clipLine(label || path.slice(path.lastIndexOf('/') + 1), 120)}
        </span>
        {kind !== 'document' && !isPlaying && (
          <IconButton icon={Play} label={t('reading.play')} onClick={() => setIsPlaying(true)} />
        )}
        <IconButton
          icon={ExternalLink}
          label={t('file.openOutside')}
          onClick={() => reveal({ agent, path, open: true })}
        />
        <IconButton icon={FolderOpen} label={t('file.reveal')} onClick={() => reveal({ agent, path, open: false })} />
      </span>
      {isPlaying && error && <span className="text-muted">{explainError(error)}</span>}
      {isPlaying && url !== undefined && kind === 'audio' && (
        <audio controls autoPlay src={url} className="mt-2 w-full" />
      )}
      {isPlaying && url !== undefined && kind === 'video' && (
        <video controls autoPlay src={url} className="mt-2 max-h-96 w-full" />
      )}
    </span>
  )
}
