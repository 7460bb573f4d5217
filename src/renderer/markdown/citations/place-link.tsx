import { useQuery } from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { LinesOfFile } from '#shared/util/file-lines.ts'
import { api } from '#lib/api/client.ts'
import { PlaceMark } from '#lib/notes/private-mark.tsx'
import { formatLines, paths, type FileLinkState } from '#lib/router/paths.ts'
import { sessionOfPath } from '#shared/util/agent-files.ts'
import { clipLine } from '#lib/util/clip.ts'

interface PlaceLinkProps {
  readonly agent: string
  readonly path: string
  /** 1-based. */
  readonly startLine: number
  /** 1-based and inclusive; defaults to `startLine`. */
  readonly endLine?: number
  readonly className?: string
  /** Shortens a long name in the middle, so that the end of the file name and the lines stay visible. */
  readonly isClipped?: boolean
  /** Words to mark in the lines of the file. Undefined marks only the first line. */
  readonly words?: readonly string[]
}

/** Characters before the line number that stay visible in a clipped name. */
const visibleEndLength = 12

export function PlaceLink(props: PlaceLinkProps) {
  const { agent, path, startLine, endLine = startLine, className = '', isClipped = false, words } = props
  const { chatTitle, placeName } = usePlaceNames(agent)
  const isChat = chatTitle(path) !== undefined
  const name = placeName({ path, startLine, endLine })
  const splitIndex = Math.max(0, name.lastIndexOf(':') - visibleEndLength)
  return (
    <Link
      href={paths.source(path, startLine, words && endLine)}
      state={words && ({ words } satisfies FileLinkState)}
      title={isClipped ? name : undefined}
      // Without a label, screen readers would read the two spans as two words.
      aria-label={isClipped && !isChat ? name : undefined}
      className={`hover:underline ${isChat ? 'font-sans' : 'font-mono text-[12px]'} ${isClipped ? 'flex min-w-0' : ''} ${className}`}
    >
      <PlaceMark agent={agent} path={path} />
      {isChat && <MessageSquare size={12} aria-label={t('search.chat')} className="mr-1 mb-0.5 inline" />}
      {isClipped && !isChat ? (
        <>
          <span className="min-w-0 truncate">{name.slice(0, splitIndex)}</span>
          <span className="shrink-0 whitespace-pre">{name.slice(splitIndex)}</span>
        </>
      ) : isClipped ? (
        <span className="min-w-0 truncate">{name}</span>
      ) : (
        name
      )}
    </Link>
  )
}

/**
 * Returns two functions: `chatTitle` returns the title of a transcript's chat, or undefined for any other file;
 * `placeName` returns that title, or the path with its lines.
 */
export function usePlaceNames(agent: string) {
  const sessions = useQuery(api.sessions.list.queryOptions({ input: { agent } })).data
  const chatTitle = (path: string) => {
    const session = sessionOfPath(path)
    if (session === undefined) return undefined
    return clipLine(sessions?.find(({ id }) => id === session)?.title ?? '') || t('nav.untitled')
  }
  return { chatTitle, placeName: (lines: LinesOfFile) => chatTitle(lines.path) ?? formatLines(lines) }
}
