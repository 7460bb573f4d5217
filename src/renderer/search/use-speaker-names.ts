import { useTranslation } from 'react-i18next'
import { sessionOfPath } from '#lib/router/paths.ts'
import { nameSpeakers } from './excerpt.ts'

/** Returns a function that puts the speakers' names into a snippet of a transcript. Other files stay unchanged. */
export function useSpeakerNames(): (path: string, snippet: string) => string {
  const { t } = useTranslation()
  return (path, snippet) =>
    sessionOfPath(path) === undefined
      ? snippet
      : nameSpeakers(snippet, { User: t('search.said.user'), Assistant: t('search.said.assistant') })
}
