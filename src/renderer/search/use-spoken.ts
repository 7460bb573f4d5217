import { useTranslation } from 'react-i18next'
import { sessionOfPath } from '#lib/router/paths.ts'
import { withSpeakers } from './excerpt.ts'

/** @returns what makes a passage of a file one to be shown; other files than conversations stay as they are */
export function useSpoken(): (path: string, snippet: string) => string {
  const { t } = useTranslation()
  return (path, snippet) =>
    sessionOfPath(path) === undefined
      ? snippet
      : withSpeakers(snippet, { User: t('search.said.user'), Assistant: t('search.said.assistant') })
}
