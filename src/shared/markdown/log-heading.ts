import { hasSourceMark } from './provenance.ts'
import { countCjk } from '../util/tokens.ts'

/** Maximum characters of a one-line note and of a title, for narrow and wide (CJK) scripts. */
const most = { line: { narrow: 60, wide: 30 }, title: { narrow: 60, wide: 24 } } as const

/**
 * Returns the heading of a log entry: `## HH:MM`, followed by a title if the note is longer than one line.
 * @param time `HH:MM`
 */
export function logHeading(note: string, time: string): string {
  const [line = '', ...more] = note.trim().split('\n')
  const plain = line.replace(/^[#>*\-\s]+/, '').trim()
  const fitsOneLine = more.length === 0 && [...plain].length <= most.line[scriptOf(plain)]
  return fitsOneLine || plain === '' || hasSourceMark(line) ? `## ${time}` : `## ${time} - ${titleOf(plain)}`
}

function titleOf(line: string): string {
  const letters = [...line]
  const room = most.title[scriptOf(line)]
  if (letters.length <= room) return line
  const cut = letters.slice(0, room).join('')
  const space = cut.lastIndexOf(' ')
  return `${(space > room / 2 ? cut.slice(0, space) : cut).trimEnd()}…`
}

function scriptOf(line: string): 'narrow' | 'wide' {
  return countCjk(line) > line.length / 2 ? 'wide' : 'narrow'
}
