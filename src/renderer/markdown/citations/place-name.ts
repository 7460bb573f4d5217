import { useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { api } from '#lib/api/client.ts'
import { formatLines, sessionOfPath, type FileLines } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'

interface PlaceNames {
  /** Returns the title of a transcript's chat, or undefined for any other file. */
  readonly chatTitle: (path: string) => string | undefined
  /** Returns the title of the chat, or the path with its lines. */
  readonly placeName: (lines: FileLines) => string
}

export function usePlaceNames(agent: string): PlaceNames {
  const sessions = useQuery(api.sessions.list.queryOptions({ input: { agent } })).data
  const chatTitle = (path: string) => {
    const session = sessionOfPath(path)
    if (session === undefined) return undefined
    return clipLine(sessions?.find(({ id }) => id === session)?.title ?? '') || t('nav.untitled')
  }
  return { chatTitle, placeName: (lines) => chatTitle(lines.path) ?? formatLines(lines) }
}
