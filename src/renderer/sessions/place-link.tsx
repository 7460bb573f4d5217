/** The way to a place in memory, under the name that it has wherever it stands. */
import { MessageSquare } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { paths } from '../navigate.ts'
import { usePlaceNames } from './place-name.ts'

interface PlaceLinkProps {
  readonly agent: string
  readonly path: string
  /** 1-based. */
  readonly startLine: number
  /** Included; the first one when left out. */
  readonly endLine?: number
  readonly className?: string
}

export function PlaceLink({ agent, path, startLine, endLine = startLine, className = '' }: PlaceLinkProps) {
  const { t } = useTranslation()
  const { chatTitle, placeName } = usePlaceNames(agent)
  const isChat = chatTitle(path) !== undefined
  return (
    <Link
      href={paths.source(path, startLine)}
      className={`hover:underline ${isChat ? 'font-sans' : 'font-mono text-[12px]'} ${className}`}
    >
      {isChat && <MessageSquare size={12} aria-label={t('search.chat')} className="mr-1 mb-0.5 inline" />}
      {placeName({ path, startLine, endLine })}
    </Link>
  )
}
