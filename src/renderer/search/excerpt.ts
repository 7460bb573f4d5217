import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { clipLine } from '#lib/util/clip.ts'

/** Characters shown before the first match: two lines of a narrow window hold more. */
const leadIn = 24

/** Two lines of a wide window hold less. */
const maxShown = 600

/** Names those who speak; only at the beginning of a line, where the transcript does. */
export function withSpeakers(snippet: string, names: Readonly<Record<'User' | 'Assistant', string>>): string {
  return snippet.replace(/^(- )?(User|Assistant): /gm, (_, mark = '', who: 'User' | 'Assistant') => mark + names[who])
}

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
  // Begins with a whole word where the script has spaces.
  return `…${lead.slice(lead.indexOf(' ') + 1)}${text.slice(first)}`
}

/**
 * The line of a result that the words of the question point to; its first one with words where none does.
 * @returns 1-based, in the file
 */
export function likeliestLine({ startLine, snippetLine = startLine, snippet, matched }: Lines): number {
  const lines = snippet.split('\n')
  const worthOf = (line: string) => {
    if (!/[\p{L}\p{N}]/u.test(line)) return -1
    const lower = line.toLowerCase()
    const found = matched.filter((word) => lower.includes(word.toLowerCase())).length
    // A heading names what is said below it.
    return leadOf(line).level > 0 ? found - 0.5 : found
  }
  const worths = lines.map(worthOf)
  return snippetLine + Math.max(0, worths.indexOf(Math.max(...worths)))
}

interface Lines {
  /** 1-based. */
  readonly startLine: number
  /** Of the snippet. */
  readonly snippetLine?: number | undefined
  readonly snippet: string
  readonly matched: readonly string[]
}
