import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { clipLine } from '#lib/util/clip.ts'

/** Characters before the first match: fewer than fit into two lines of a narrow window. */
const leadIn = 24

/** Maximum characters: more than fit into two lines of a wide window. */
const maxShown = 600

/** Replaces the speakers of a transcript with their display names. They appear only at the start of a line. */
export function nameSpeakers(snippet: string, names: Readonly<Record<'User' | 'Assistant', string>>): string {
  return snippet.replace(/^(- )?(User|Assistant): /gm, (_, mark = '', who: 'User' | 'Assistant') => mark + names[who])
}

/** Returns the snippet as one clipped line that starts shortly before the first match. */
export function excerptOf(snippet: string, matched: readonly string[]): string {
  return clipLine(excerptFrom(snippet, matched), maxShown)
}

function excerptFrom(snippet: string, matched: readonly string[]): string {
  const text = snippet
    .split('\n')
    .map((line) => withoutLead(line).trim())
    .filter((line) => line !== '')
    .join(' · ')
  const lower = text.toLowerCase()
  const positions = matched.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0)
  const first = Math.min(...positions, text.length)
  if (positions.length === 0 || first <= leadIn) return text
  const lead = text.slice(first - leadIn, first)
  // Starts at a word boundary, if there is a space.
  return `…${lead.slice(lead.indexOf(' ') + 1)}${text.slice(first)}`
}

/** Returns the 1-based file line with the most matched words, or the first line with text if no line has any. */
export function likeliestLine({ startLine, snippetLine = startLine, snippet, matched }: Lines): number {
  const lines = snippet.split('\n')
  const worthOf = (line: string) => {
    if (!/[\p{L}\p{N}]/u.test(line)) return -1
    const lower = line.toLowerCase()
    const found = matched.filter((word) => lower.includes(word.toLowerCase())).length
    // A heading loses a tie against the text below it.
    return leadOf(line).level > 0 ? found - 0.5 : found
  }
  const worths = lines.map(worthOf)
  return snippetLine + Math.max(0, worths.indexOf(Math.max(...worths)))
}

interface Lines {
  /** 1-based line of the result. */
  readonly startLine: number
  /** 1-based line at which the snippet starts; defaults to `startLine`. */
  readonly snippetLine?: number | undefined
  readonly snippet: string
  readonly matched: readonly string[]
}
