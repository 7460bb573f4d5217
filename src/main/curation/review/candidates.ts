import { loadSimilarityModel } from '../similarity/similarity-model.ts'
import { findContradictionCandidates } from '../similarity/contradiction-candidates.ts'
import { formatDay } from '#search/text'
import { sectionsOf, type Section } from '#shared/markdown/sections.ts'
import { statementsOf, type Note, type Statement } from '../rules/note-line.ts'

export interface ReviewLine {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly raw: string
  readonly text: string
  /** Day of its daily log, `YYYY-MM-DD`; undefined for other notes. */
  readonly day: string | undefined
  readonly heading: string | undefined
}

export interface Candidates {
  readonly lines: readonly ReviewLine[]
  /** Pairs of indexes into `lines` that may contradict each other, best score first. */
  readonly pairs: readonly (readonly [number, number])[]
  /** Indexes of log lines, newest first. */
  readonly logLines: readonly number[]
  /** Indexes of lines of MEMORY.md. */
  readonly memoryLines: readonly number[]
  readonly sections: readonly string[]
}

/** Maximum number of pairs: this many per line, but at least `leastPairs` in total. */
const pairsOfLine = 0.8
const leastPairs = 200
/** UTF-16 code units; longer lines are paragraphs, not single facts. */
const maxLine = 600

/** Selects the lines and pairs that a review asks about. @param builtinFile absolute path of the model */
export async function candidatesOf(notes: readonly Note[], builtinFile: string): Promise<Candidates> {
  const statements = notes
    .filter(({ kind }) => kind !== 'project')
    .flatMap(statementsOf)
    .filter(({ raw }) => raw.length <= maxLine && raw.isWellFormed())
  const maxPairs = Math.max(leastPairs, Math.round(statements.length * pairsOfLine))
  const rivals = await findContradictionCandidates(
    statements.map(({ text }) => text),
    await loadSimilarityModel(builtinFile),
    maxPairs,
  )
  const indexesOf = (kind: Note['kind']) => statements.flatMap((one, at) => (one.note.kind === kind ? [at] : []))
  const dayOf = (at: number) => statements[at]?.note.day ?? 0
  const memory = notes.find(({ kind }) => kind === 'memory')
  return {
    lines: statements.map(toReviewLine),
    pairs: rivals.map(({ one, other }) => [one, other] as const),
    logLines: indexesOf('log').sort((one, other) => dayOf(other) - dayOf(one) || one - other),
    memoryLines: indexesOf('memory'),
    sections: memory ? memorySections(memory.text).map(({ title }) => title) : [],
  }
}

function toReviewLine({ note, line, raw, text, headings }: Statement): ReviewLine {
  return {
    path: note.path,
    line,
    raw,
    text,
    day: note.day === undefined ? undefined : formatDay(note.day),
    heading: headings.at(-1),
  }
}

/** Returns the titled sections of level 2, or those of level 1 if there are none. */
export function memorySections(text: string): Section[] {
  const sections = sectionsOf(text.split('\n')).filter(({ title }) => title !== '')
  const second = sections.filter(({ level }) => level === 2)
  return second.length > 0 ? second : sections.filter(({ level }) => level === 1)
}
