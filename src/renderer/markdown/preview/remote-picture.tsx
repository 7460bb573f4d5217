import { skipToken, useQuery } from '@tanstack/react-query'
import { Globe } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { api, queryClient } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'
import { useDocumentContext } from '../document/context.ts'

interface RemoteLinkProps {
  readonly address: string
  readonly label?: string | undefined
  readonly status: string
  readonly 'data-testid': string
  readonly children?: ReactNode
}

/** A link to a remote page or image, which is not loaded. */
export function RemoteLink({ address, label, status, children, ...props }: RemoteLinkProps) {
  return (
    <span className="remote-picture" {...props}>
      <Globe size={13} aria-hidden className="shrink-0 text-muted" />
      <a href={address} target="_blank" rel="noreferrer" title={t('reading.remotePicture')}>
        {clipLine(label || address, 100)}
      </a>
      <span className="text-muted">{status}</span>
      {children}
    </span>
  )
}

export function WebPage({ address, label }: { address: string; label?: string | undefined }) {
  const status = t('reading.remote', { host: URL.parse(address)?.host ?? '' })
  return <RemoteLink data-testid="web-page" address={address} label={label} status={status} />
}

/**
 * Returns true for image addresses that lead to a page (YouTube videos, posts on X). Obsidian embeds the
 * page; the preview links it.
 */
export function isShownAsPage(address: string): boolean {
  return /^https?:\/\/(?:(?:www|m)\.)?(?:youtube\.com\/(?:watch|embed|shorts|playlist)|youtu\.be\/|(?:twitter|x)\.com\/\w+\/status\/)/i.test(
    address,
  )
}

interface RemotePictureProps {
  readonly address: string
  readonly alt: string
  /** px; undefined for the natural width. */
  readonly width: number | undefined
}

const cacheMs = 60_000

export function RemotePicture({ address, alt, width }: RemotePictureProps) {
  const { agent, path } = useDocumentContext()
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
    : t(isAllowed ? 'reading.remoteLoading' : 'reading.remote', { host })
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
            {t('reading.loadPicture')}
          </button>
          <button type="button" onClick={() => queryClient.setQueryData(noteKey(agent, path), true)}>
            {t('reading.loadPictures')}
          </button>
          <Link href={paths.settings('interface.remotePictures')} title={t('reading.alwaysLoadTitle')}>
            {t('reading.alwaysLoad')}
          </Link>
        </>
      )}
    </RemoteLink>
  )
}

/** Images and notes that the user has allowed to load. They are kept in the query cache, so that a reload forgets them. */
const imageKey = (agent: string, path: string, address: string) => ['remote image', agent, path, address]
const noteKey = (agent: string, path: string) => ['remote images of note', agent, path]

function useConsent(queryKey: readonly string[]): boolean {
  return useQuery<boolean>({ queryKey, queryFn: skipToken, gcTime: Infinity }).data ?? false
}
