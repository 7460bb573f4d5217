import { Globe } from 'lucide-react'
import { t } from 'i18next'
import { clipLine } from '#lib/util/clip.ts'

export function WebPage({ address, label }: { address: string; label?: string | undefined }) {
  return (
    <span className="remote-picture" data-testid="web-page">
      <Globe size={13} aria-hidden className="shrink-0 text-muted" />
      <a href={address} target="_blank" rel="noreferrer" title={t('reading.remotePicture')}>
        {clipLine(label || address, 100)}
      </a>
      <span className="text-muted">{t('reading.remote', { host: URL.parse(address)?.host ?? '' })}</span>
    </span>
  )
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
