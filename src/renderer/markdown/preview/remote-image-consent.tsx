import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { api, queryClient } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { paths } from '#lib/router/paths.ts'
import { useNote } from './note-context.ts'
import { RemoteLink } from './web-page.tsx'

interface RemotePictureProps {
  readonly address: string
  readonly alt: string
  /** px; undefined for the natural width. */
  readonly width: number | undefined
}

const cacheMs = 60_000

export function RemotePicture({ address, alt, width }: RemotePictureProps) {
  const { agent, path } = useNote()
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
  const url = useMemo(() => picture.data && `data:${picture.data.type};base64,${picture.data.data}`, [picture.data])
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
