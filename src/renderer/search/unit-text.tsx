import { Highlight } from '#lib/ui/highlight.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { useSpeakerNames } from './speaker-names.ts'

/** Maximum characters; only results in old transcripts are longer. */
const maxShown = 1500

interface UnitTextProps {
  readonly path: string
  readonly text: string
  /** Words to mark. */
  readonly words?: readonly string[]
  readonly className?: string
}

const noWords: readonly string[] = []

/** Shows the text of a result. */
export function UnitText({ path, text, words = noWords, className = '' }: UnitTextProps) {
  const withSpeakerNames = useSpeakerNames()
  const shown = clipLine(withSpeakerNames(path, withoutBlankLines(text)), maxShown)
  return (
    <p className={`break-words whitespace-pre-line ${className}`}>
      <Highlight text={shown} words={words} />
    </p>
  )
}

function withoutBlankLines(text: string): string {
  return text.trim().replace(/\n\s*\n/g, '\n')
}
