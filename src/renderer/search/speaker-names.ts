import { useTranslation } from 'react-i18next'
import { sessionOfPath } from '#lib/router/paths.ts'

/** Returns a function that puts the speakers' names into a text of a transcript. Other texts stay unchanged. */
export function useSpeakerNames(): (path: string, text: string) => string {
  const { t } = useTranslation()
  return (path, text) =>
    sessionOfPath(path) === undefined
      ? text
      : nameSpeakers(text, { User: t('search.said.user'), Assistant: t('search.said.assistant') })
}

/** Replaces the speakers of a transcript with their display names. They appear only at the start of a line. */
export function nameSpeakers(text: string, names: Readonly<Record<'User' | 'Assistant', string>>): string {
  return text.replace(/^(- )?(User|Assistant): /gm, (_, dash = '', name: 'User' | 'Assistant') => dash + names[name])
}
