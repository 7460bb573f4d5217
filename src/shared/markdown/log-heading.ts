import { hasSourceMark } from './provenance.ts'
import { countCjk } from '../util/tokens.ts'

/** Maximum characters of a one-line note and of a title, for narrow and wide (CJK) scripts. */
const maxCharacters = { line: { narrow: 60, wide: 30 }, title: { narrow: 60, wide: 24 } } as const

/**
 * Returns the heading of a log entry: `## HH:MM`, followed by a title if the note is longer than one line.
 * @param time `HH:MM`
 */
export function logHeading(note: string, time: string): string {
  const [firstLine = '', ...otherLines] = note.trim().split('\n')
  const plain = firstLine.replace(/^[#>*\-\s]+/, '').trim()
  const fitsOneLine = otherLines.length === 0 && [...plain].length <= maxCharacters.line[scriptWidth(plain)]
  return fitsOneLine || plain === '' || hasSourceMark(firstLine)
    ? `## ${time}`
    : `## ${time} - ${cutAtWord(plain, maxCharacters.title[scriptWidth(plain)])}`
}

/** Cuts a text after at most `limit` characters, at a word boundary if one is near, and adds an ellipsis. */
export function cutAtWord(text: string, limit: number): string {
  const characters = [...text]
  if (characters.length <= limit) return text
  const cut = characters.slice(0, limit).join('')
  const lastSpace = cut.lastIndexOf(' ')
  return `${(lastSpace > limit / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`
}

function scriptWidth(line: string): 'narrow' | 'wide' {
  return countCjk(line) > line.length / 2 ? 'wide' : 'narrow'
}
