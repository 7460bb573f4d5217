import { useQuery, useMutation, skipToken } from '@tanstack/react-query'
import { use, useMemo, useEffect, useState, type ReactNode } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { attachmentKind } from '#shared/util/attachments.ts'
import { fileNameOf, stemOf } from '#shared/markdown/links/resolve-link.ts'
import { formatTarget, splitTarget } from '#shared/markdown/links/parse-links.ts'
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/toast.ts'
import { plainTitle } from '#lib/notes/note-titles.ts'
import { paths } from '#lib/router/paths.ts'
import { IconButton } from '#lib/ui/elements.tsx'
import { clipLine, clipPassage } from '#lib/util/clip.ts'
import { useNoteLinks, DocumentContext, emptyContext } from '../document/context.ts'
import { Anchor } from '../document/elements.tsx'
import { RowText } from '../document/row-view.tsx'
import { footnoteLabels } from '../document/use-document.ts'
import { nameHref, decodeTarget } from '../parse/mdast.ts'
import { parseDocument, sectionOf } from '../parse/parse-document.ts'
import { ImageOff, ExternalLink, FileText, Film, FolderOpen, Music, Play, Globe } from 'lucide-react'
import { formatBytes } from '#lib/i18n/format.ts'

const maxDepth = 3
/** Limits of an embedded note, in characters and rows. The remaining text is not shown. */
const maxCharacters = 6000
const maxRows = 40

export function Embed({ target, label, isBlock }: { target: string; label: string | undefined; isBlock: boolean }) {
  const { ancestors, links } = use(DocumentContext)
  const blockId = /^\(\((.+)\)\)$/.exec(target)?.[1]
  const block = useBlock(blockId)
  if (blockId !== undefined)
    return block && ancestors.length <= maxDepth ? (
      <EmbeddedNote path={block.path} target={`${block.path}#^${blockId}`} name={stemOf(fileNameOf(block.path))} />
    ) : (
      <BlockReference id={blockId} label={undefined} />
    )
  const link = splitTarget(target)
  const fileName = link.target
  // While the file list is loading, a target resolves to itself.
  const path = links?.resolve('wiki', link)
  if (path === undefined && attachmentKind(fileName) !== undefined)
    return <MissingImage name={fileName} reason={t('preview.noPicture')} />
  if (path !== undefined && attachmentKind(path) !== undefined) {
    const { name, width } = parseImageLabel(label ?? '')
    return <AttachmentView path={path} alt={name || fileName} width={width} />
  }
  const isNote = path !== undefined && /\.(?:md|markdown)$/i.test(path)
  // Prevents cycles and deep nesting.
  if (!isNote || !isBlock || ancestors.includes(path) || ancestors.length > maxDepth)
    return <Anchor href={nameHref(target)}>{label ?? target}</Anchor>
  return <EmbeddedNote path={path} target={target} />
}

function EmbeddedNote({ path, target, name = target }: { path: string; target: string; name?: string }) {
  const { id: agent } = useAgent()
  const { ancestors, syntax, components } = use(DocumentContext)
  const file = useQuery(api.workspace.read.queryOptions({ input: { agent, path }, staleTime: 5000 }))
  const links = useNoteLinks(path)
  const { fragment } = splitTarget(target)
  const section = useMemo(() => (file.data ? sectionOf(file.data.text, fragment) : undefined), [file.data, fragment])
  const text = section === undefined ? '' : clipPassage(section.trim(), maxCharacters)
  const allRows = useMemo(() => parseDocument(text), [text])
  const context = useMemo(
    () => ({
      ...emptyContext,
      path,
      ancestors: [...ancestors, path],
      syntax,
      components,
      links,
      footnotes: footnoteLabels(allRows).split(' '),
    }),
    [path, ancestors, syntax, components, links, allRows],
  )
  const rows = allRows.slice(0, maxRows)
  const isClipped = section !== undefined && (text.length < section.trim().length || rows.length < allRows.length)
  return (
    <section className="embed" aria-label={name}>
      <div className="embed-title">
        <Anchor href={nameHref(target)}>{name}</Anchor>
      </div>
      {file.error ? (
        <p className="text-muted">{explainError(file.error)}</p>
      ) : file.data && section === undefined ? (
        <p className="text-muted">{t('preview.noPart')}</p>
      ) : (
        <DocumentContext value={context}>
          {rows.map((row, index) => (
            <div key={index} className="reading-row">
              <RowText row={row} />
            </div>
          ))}
        </DocumentContext>
      )}
      {isClipped && <p className="text-muted">{t('preview.goesOn')}</p>}
    </section>
  )
}

/** Returns undefined while loading, and null if no note has this block. */
function useBlock(id: string | undefined) {
  const { id: agent } = useAgent()
  const input = { agent, id: id ?? '' }
  return useQuery(api.links.block.queryOptions({ input, enabled: id !== undefined, staleTime: 60_000 })).data
}

export function BlockReference({ id, label }: { id: string; label: string | undefined }) {
  const block = useBlock(id)
  if (!block) return <code className="quiet-macro">{label ?? `((${id}))`}</code>
  const title = plainTitle(withoutLead(block.text))
  return (
    <Link href={paths.file(block.path, block.line)} title={block.path} className="block-reference">
      {label ?? clipLine(title || block.path, 300)}
    </Link>
  )
}

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

/** Images load one after the other, so that a page of them does not block other requests. */
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

function Picture({ path, alt, width }: PictureProps) {
  const { id: agent } = useAgent()
  const [isRequested, setIsRequested] = useState(false)
  const [isBroken, setIsBroken] = useState(false)
  const { url, error, largeSize } = useAttachment(agent, path, isRequested)
  const size = sizes.get(path)
  if (isBroken) return <MissingImage name={alt || path} reason={t('preview.brokenPicture')} />
  if (error) return <MissingImage name={alt || path} reason={explainError(error)} />
  if (largeSize !== undefined)
    return (
      <button type="button" className="no-picture" onClick={() => setIsRequested(true)}>
        {t('preview.showPicture', { name: clipLine(alt || path, 100), size: formatBytes(largeSize) })}
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

function MissingImage({ name, reason }: { name: string; reason: string }) {
  return (
    <span className="no-picture" title={reason}>
      <ImageOff size={13} aria-hidden />
      {clipLine(name, 100)}
      <span className="text-muted">{clipLine(reason, 120)}</span>
    </span>
  )
}

export function LinkedPicture({ src = '', alt = '' }: { src?: string; alt?: string }) {
  const { links } = use(DocumentContext)
  const { name, width } = parseImageLabel(alt)
  const target = decodeTarget(src)
  const path = target === undefined ? undefined : links?.resolve('inline', target)
  if (path !== undefined && attachmentKind(path) !== undefined)
    return <AttachmentView path={path} alt={name} width={width} />
  // A file without a preview, such as a canvas, becomes a link.
  if (target !== undefined && path !== undefined) return <Anchor href={src}>{name || formatTarget(target)}</Anchor>
  if (target !== undefined) return <MissingImage name={name || formatTarget(target)} reason={t('preview.noPicture')} />
  if (isShownAsPage(src)) return <WebPage address={src} label={name} />
  if (/^https?:/i.test(src)) return <RemotePicture address={src} alt={name} width={width} />
  return <MissingImage name={name || src} reason={t('preview.outside')} />
}

export function AttachmentView({ path, alt, width }: PictureProps) {
  return attachmentKind(path) === 'image' ? (
    <Picture path={path} alt={alt} width={width} />
  ) : (
    <AttachmentCard path={path} label={alt} />
  )
}

/** Splits `name|200` or `name|200x100`; the height is ignored. Without a width, the whole label is the name. */
function parseImageLabel(label: string): { readonly name: string; readonly width: number | undefined } {
  const [match, name = '', width] = /^([^]*?)\|?\s*(?<=^|\|\s*)(\d{1,4})(?:x\d{1,4})?\s*$/.exec(label) ?? []
  return match === undefined ? { name: label, width: undefined } : { name: name.trim(), width: Number(width) }
}

const icons = { audio: Music, video: Film, document: FileText, image: FileText } as const

function AttachmentCard({ path, label }: { path: string; label: string }) {
  const { id: agent } = useAgent()
  const [isPlaying, setIsPlaying] = useState(false)
  const { mutate: reveal } = useMutation(api.workspace.reveal.mutationOptions())
  const kind = attachmentKind(path) ?? 'document'
  const { url, error } = useAttachment(agent, path, isPlaying)
  const Icon = icons[kind]
  const Player = kind === 'audio' ? 'audio' : 'video'
  return (
    <span className="attachment">
      <span className="flex items-center gap-2">
        <Icon size={15} aria-hidden className="shrink-0 text-muted" />
        <span className="min-w-0 flex-1 truncate" title={path}>
          {clipLine(label || path.slice(path.lastIndexOf('/') + 1), 120)}
        </span>
        {kind !== 'document' && !isPlaying && (
          <IconButton icon={Play} label={t('preview.play')} onClick={() => setIsPlaying(true)} />
        )}
        <IconButton
          icon={ExternalLink}
          label={t('file.openOutside')}
          onClick={() => reveal({ agent, path, open: true })}
        />
        <IconButton icon={FolderOpen} label={t('file.reveal')} onClick={() => reveal({ agent, path, open: false })} />
      </span>
      {isPlaying && error && <span className="text-muted">{explainError(error)}</span>}
      {isPlaying && url !== undefined && <Player controls autoPlay src={url} className="mt-2 max-h-96 w-full" />}
    </span>
  )
}

interface RemoteLinkProps {
  readonly address: string
  readonly label?: string | undefined
  readonly status: string
  readonly 'data-testid': string
  readonly children?: ReactNode
}

function RemoteLink({ address, label, status, children, ...props }: RemoteLinkProps) {
  return (
    <span className="remote-picture" {...props}>
      <Globe size={13} aria-hidden className="shrink-0 text-muted" />
      <a href={address} target="_blank" rel="noreferrer" title={t('preview.remotePicture')}>
        {clipLine(label || address, 100)}
      </a>
      <span className="text-muted">{status}</span>
      {children}
    </span>
  )
}

export function WebPage({ address, label }: { address: string; label?: string | undefined }) {
  const status = t('preview.remote', { host: URL.parse(address)?.host ?? '' })
  return <RemoteLink data-testid="web-page" address={address} label={label} status={status} />
}

/** Obsidian embeds the page of such an image address; the preview links it. */
function isShownAsPage(address: string): boolean {
  return /^https?:\/\/(?:(?:www|m)\.)?(?:youtube\.com\/(?:watch|embed|shorts|playlist)|youtu\.be\/|(?:twitter|x)\.com\/\w+\/status\/)/i.test(
    address,
  )
}

const cacheMs = 60_000

/** @param width px; undefined for the natural width */
function RemotePicture({ address, alt, width }: { address: string; alt: string; width: number | undefined }) {
  const { id: agent } = useAgent()
  const { path } = use(DocumentContext)
  const isAlwaysAllowed = useQuery(api.settings.get.queryOptions()).data?.appearance.remotePictures === 'always'
  // An address can reveal private text to a server, so images in notes with private text always ask.
  const isOpen = useQuery(
    api.workspace.list.queryOptions({
      input: { agent },
      select: (files) => files.some((file) => file.path === path && file.privacy === undefined),
    }),
  ).data
  const hasImageConsent = useConsent(imageKey(agent, path, address))
  const hasNoteConsent = useConsent(noteKey(agent, path))
  const hasConsent = hasImageConsent || hasNoteConsent
  const isAllowed = hasConsent || (isAlwaysAllowed && isOpen === true)
  const picture = useQuery(
    api.pictures.remote.queryOptions({
      input: { agent, path, address, isAllowed: hasConsent },
      enabled: isAllowed,
      gcTime: cacheMs,
      retry: false,
    }),
  )
  const url = picture.data && `data:${picture.data.type};base64,${picture.data.data}`
  const host = URL.parse(address)?.host ?? ''
  if (url !== undefined)
    return <img src={url} alt={alt} title={alt || host} decoding="async" className="picture" width={width} />
  const status = picture.error
    ? explainError(picture.error)
    : t(isAllowed ? 'preview.remoteLoading' : 'preview.remote', { host })
  return (
    <RemoteLink data-testid="remote-picture" address={address} label={alt} status={status}>
      {isAllowed && picture.error && (
        <button type="button" onClick={() => void picture.refetch()}>
          {t('common.retry')}
        </button>
      )}
      {!isAllowed && (
        <>
          <button type="button" onClick={() => queryClient.setQueryData(imageKey(agent, path, address), true)}>
            {t('preview.loadPicture')}
          </button>
          <button type="button" onClick={() => queryClient.setQueryData(noteKey(agent, path), true)}>
            {t('preview.loadPictures')}
          </button>
          <Link href={paths.settings('interface.remotePictures')} title={t('preview.alwaysLoadTitle')}>
            {t('preview.alwaysLoad')}
          </Link>
        </>
      )}
    </RemoteLink>
  )
}

/** Keys of the images and notes that the user allows to load. The query cache is empty after a reload. */
const imageKey = (agent: string, path: string, address: string) => ['remote image', agent, path, address]
const noteKey = (agent: string, path: string) => ['remote images of note', agent, path]

function useConsent(queryKey: readonly string[]): boolean {
  return useQuery<boolean>({ queryKey, queryFn: skipToken, gcTime: Infinity }).data ?? false
}
