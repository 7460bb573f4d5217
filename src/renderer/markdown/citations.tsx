import { useQuery, useMutation } from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { LinesOfFile } from '#shared/util/file-lines.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api } from '#lib/api/client.ts'
import { PlaceMark } from '#lib/notes/note-marks.tsx'
import { navigate, formatLines, paths, type FileLinkState, type FileLine } from '#lib/router/paths.ts'
import { sessionOfPath } from '#shared/util/agent-files.ts'
import { clipLine } from '#lib/util/clip.ts'
import { createContext } from 'react'

interface PlaceLinkProps {
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

const visibleEndLength = 12

export function PlaceLink(props: PlaceLinkProps) {
  const { path, startLine, endLine = startLine, className = '', isClipped = false, words } = props
  const { chatTitle, placeName } = usePlaceNames()
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
      <PlaceMark path={path} />
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

/** `chatTitle` is undefined for other files than transcripts; `placeName` is that title, or the path with its lines. */
export function usePlaceNames() {
  const { id: agent } = useAgent()
  const sessions = useQuery(api.chats.list.queryOptions({ input: { agent } })).data
  const chatTitle = (path: string) => {
    const session = sessionOfPath(path)
    if (session === undefined) return undefined
    return clipLine(sessions?.find(({ id }) => id === session)?.title ?? '') || t('nav.untitled')
  }
  return { chatTitle, placeName: (lines: LinesOfFile) => chatTitle(lines.path) ?? formatLines(lines) }
}

/** The last query of a turn, for the actions on the citations of its answers. */
export const QueryContext = createContext<string | undefined>(undefined)

/** @param query found the line; if it is undefined, the search page asks for it */
export function ResultActions({ place, query }: { place: FileLine; query: string | undefined }) {
  const { id: agent } = useAgent()
  const flag = useMutation(api.suggestions.flag.mutationOptions({ onSuccess: ({ id }) => navigate(paths.inbox(id)) }))
  // Only notes of this memory can be flagged: not transcripts, nor files of other agents or outside folders.
  const isNote = sessionOfPath(place.path) === undefined && !/^[@/]|^[A-Za-z]:/.test(place.path)
  return (
    <p className="flex flex-wrap gap-x-3 text-[12px]" data-testid="result-actions">
      <Link href={paths.source(place.path, place.line)} className={actionClassName}>
        {t('result.open')}
      </Link>
      {isNote &&
        (['wrong', 'outdated'] as const).map((fault) => (
          <button
            key={fault}
            type="button"
            className={actionClassName}
            title={t(`result.${fault}Hint`)}
            disabled={flag.isPending}
            onClick={() => flag.mutate({ agent, ...place, fault, query: query || undefined })}
          >
            {t(`result.${fault}`)}
          </button>
        ))}
      <Link href={paths.found(query, place)} className={actionClassName}>
        {t('result.why')}
      </Link>
    </p>
  )
}

const actionClassName = 'inline-flex min-h-6 items-center text-muted hover:text-text hover:underline'
