import { likenessBy } from '../similarity/similarity-model.ts'
import { rivalsAmong } from '../similarity/contradiction-candidates.ts'
import { formatDay } from '#search/text'
import { sectionsOf, type Section } from '#shared/markdown/sections.ts'
import { statementsOf, type Note, type Statement } from '../rules/note-line.ts'

/** A line as a model is shown it. */
export interface AskedLine {
  readonly path: string
  /** 1-based. */
  readonly line: number
  /** As it stands there. */
  readonly raw: string
  /** Without the marks of a list. */
  readonly text: string
  /** Of its log, `YYYY-MM-DD`. */
  readonly day: string | undefined
  /** The innermost heading above it. */
  readonly heading: string | undefined
}

export interface Candidates {
  readonly lines: readonly AskedLine[]
  /** Of lines that may not both hold, by their indexes, the most telling first. */
  readonly pairs: readonly (readonly [number, number])[]
  /** Lines of logs, newest first. */
  readonly logged: readonly number[]
  /** Lines of MEMORY.md. */
  readonly kept: readonly number[]
  /** MEMORY.md's sections, in their order. */
  readonly sections: readonly string[]
}

/** Of a memory's lines so many pairs are judged, and never fewer than that. */
const pairsOfLine = 0.8
const leastPairs = 200
/** A longer one is a text of its own, and no fact among others. */
const maxLine = 600

/** @param builtinFile of the model that comes with the app */
export async function candidatesOf(notes: readonly Note[], builtinFile: string): Promise<Candidates> {
  const statements = notes
    .filter(({ kind }) => kind !== 'project')
    .flatMap(statementsOf)
    .filter(({ raw }) => raw.length <= maxLine && raw.isWellFormed())
  const most = Math.max(leastPairs, Math.round(statements.length * pairsOfLine))
  const rivals = await rivalsAmong(
    statements.map(({ text }) => text),
    await likenessBy(builtinFile),
    most,
  )
  const of = (kind: Note['kind']) => statements.flatMap((one, at) => (one.note.kind === kind ? [at] : []))
  const dayOf = (at: number) => statements[at]?.note.day ?? 0
  const memory = notes.find(({ kind }) => kind === 'memory')
  return {
    lines: statements.map(shown),
    pairs: rivals.map(({ one, other }) => [one, other] as const),
    logged: of('log').sort((one, other) => dayOf(other) - dayOf(one) || one - other),
    kept: of('memory'),
    sections: memory ? memorySections(memory.text).map(({ title }) => title) : [],
  }
}

function shown({ note, line, raw, text, headings }: Statement): AskedLine {
  return {
    path: note.path,
    line,
    raw,
    text,
    day: note.day === undefined ? undefined : formatDay(note.day),
    heading: headings.at(-1),
  }
}

/** Of the second level; those of the first where there are no others. */
export function memorySections(text: string): Section[] {
  const sections = sectionsOf(text.split('\n')).filter(({ title }) => title !== '')
  const second = sections.filter(({ level }) => level === 2)
  return second.length > 0 ? second : sections.filter(({ level }) => level === 1)
}
