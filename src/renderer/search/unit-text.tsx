import { useTranslation } from 'react-i18next'
import { withoutPrivateMarks } from '#shared/markdown/marks.ts'
import { Highlight } from '#lib/ui/highlight.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { sessionOfPath } from '#lib/router/paths.ts'

/** Maximum characters; only results in old transcripts are longer. */
const maxShown = 1500

interface UnitTextProps {
  readonly path: string
  readonly text: string
  readonly words?: readonly string[]
  readonly className?: string
}

const noWords: readonly string[] = []

export function UnitText({ path, text, words = noWords, className = '' }: UnitTextProps) {
  const { t } = useTranslation()
  const compact = withoutPrivateMarks(text)
    .trim()
    .replace(/\n\s*\n/g, '\n')
  const names = { User: t('search.said.user'), Assistant: t('search.said.assistant') }
  const shown = clipLine(sessionOfPath(path) === undefined ? compact : nameSpeakers(compact, names), maxShown)
  return (
    <p className={`break-words whitespace-pre-line ${className}`}>
      <Highlight text={shown} words={words} />
    </p>
  )
}

/** Replaces the speakers of a transcript with their display names. They appear only at the start of a line. */
export function nameSpeakers(text: string, names: Readonly<Record<'User' | 'Assistant', string>>): string {
  return text.replace(/^(- )?(User|Assistant): /gm, (_, dash = '', name: 'User' | 'Assistant') => dash + names[name])
}
