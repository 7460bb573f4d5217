import { hasSourceMark } from './provenance.ts'
import { countCjk } from '../util/tokens.ts'

/** Characters of a line, and of a title, in scripts with spaces and in those without. */
const most = { line: { narrow: 60, wide: 30 }, title: { narrow: 60, wide: 24 } } as const

/** `## HH:MM`, with the first words of what is longer than a line. @param time `HH:MM` */
export function logHeading(note: string, time: string): string {
  const [line = '', ...more] = note.trim().split('\n')
  const plain = line.replace(/^[#>*\-\s]+/, '').trim()
  const isSaidInALine = more.length === 0 && [...plain].length <= most.line[scriptOf(plain)]
  return isSaidInALine || plain === '' || hasSourceMark(line) ? `## ${time}` : `## ${time} - ${titleOf(plain)}`
}

/** Cut at a word, where there are words. */
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
