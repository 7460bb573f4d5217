import { Globe } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from 'i18next'
import { clipLine } from '#lib/util/clip.ts'

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
