import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { clipLine } from '#lib/util/clip.ts'

/** Characters to show before the first match: fewer than fit into two lines of a narrow window. */
const maxLead = 24

/** Maximum characters: more than fit into two lines of a wide window. */
const maxShown = 600

/** Replaces the speakers of a transcript with their display names. They appear only at the start of a line. */
export function nameSpeakers(snippet: string, names: Readonly<Record<'User' | 'Assistant', string>>): string {
  return snippet.replace(/^(- )?(User|Assistant): /gm, (_, dash = '', name: 'User' | 'Assistant') => dash + names[name])
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
  const positions = matched.map((word) => lower.indexOf(word.toLowerCase())).filter((position) => position >= 0)
  const firstMatch = Math.min(...positions, text.length)
  if (positions.length === 0 || firstMatch <= maxLead) return text
  const lead = text.slice(firstMatch - maxLead, firstMatch)
  // Starts at a word boundary, if there is a space.
  return `…${lead.slice(lead.indexOf(' ') + 1)}${text.slice(firstMatch)}`
}

/** Returns the 1-based file line with the most matched words, or the first line with text if no line has any. */
export function likeliestLine({ startLine, snippetLine = startLine, snippet, matched }: SnippetOfResult): number {
  const lines = snippet.split('\n')
  const scoreOf = (line: string) => {
    if (!/[\p{L}\p{N}]/u.test(line)) return -1
    const lower = line.toLowerCase()
    const matches = matched.filter((word) => lower.includes(word.toLowerCase())).length
    // A heading loses a tie against the text below it.
    return leadOf(line).level > 0 ? matches - 0.5 : matches
  }
  const scores = lines.map(scoreOf)
  return snippetLine + Math.max(0, scores.indexOf(Math.max(...scores)))
}

interface SnippetOfResult {
  /** 1-based line of the result. */
  readonly startLine: number
  /** 1-based line at which the snippet starts; defaults to `startLine`. */
  readonly snippetLine?: number | undefined
  readonly snippet: string
  readonly matched: readonly string[]
}
