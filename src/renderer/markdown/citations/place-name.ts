import { useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { api } from '#lib/api/client.ts'
import type { FileLines } from '#shared/util/file-lines.ts'
import { formatLines, sessionOfPath } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'

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
  return { chatTitle, placeName: (lines: FileLines) => chatTitle(lines.path) ?? formatLines(lines) }
}
