import { MessageSquare } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { paths } from '#lib/router/paths.ts'
import { usePlaceNames } from './place-name.ts'

interface PlaceLinkProps {
  readonly agent: string
  readonly path: string
  /** 1-based. */
  readonly startLine: number
  /** Included; the first one when left out. */
  readonly endLine?: number
  readonly className?: string
  /** Where it has too little room it is cut in the middle: the file's end and the lines stay. */
  readonly isClipped?: boolean
}

/** Characters of a name that stay at its end where it has too little room, the lines not counted. */
const keptAtEnd = 12

export function PlaceLink(props: PlaceLinkProps) {
  const { agent, path, startLine, endLine = startLine, className = '', isClipped = false } = props
  const { t } = useTranslation()
  const { chatTitle, placeName } = usePlaceNames(agent)
  const isChat = chatTitle(path) !== undefined
  const name = placeName({ path, startLine, endLine })
  const end = Math.max(0, name.lastIndexOf(':') - keptAtEnd)
  return (
    <Link
      href={paths.source(path, startLine)}
      title={isClipped ? name : undefined}
      // Two pieces side by side would be read as two words.
      aria-label={isClipped && !isChat ? name : undefined}
      className={`hover:underline ${isChat ? 'font-sans' : 'font-mono text-[12px]'} ${isClipped ? 'flex min-w-0' : ''} ${className}`}
    >
      {isChat && <MessageSquare size={12} aria-label={t('search.chat')} className="mr-1 mb-0.5 inline" />}
      {isClipped && !isChat ? (
        <>
          <span className="min-w-0 truncate">{name.slice(0, end)}</span>
          <span className="shrink-0 whitespace-pre">{name.slice(end)}</span>
        </>
      ) : isClipped ? (
        <span className="min-w-0 truncate">{name}</span>
      ) : (
        name
      )}
    </Link>
  )
}
