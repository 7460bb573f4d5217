import { loadSimilarityModel } from '../similarity/similarity-model.ts'
import { findContradictionCandidates } from '../similarity/contradiction-candidates.ts'
import { formatDay } from '#search/text'
import { sectionsOf, type Section } from '#shared/markdown/sections.ts'
import { statementsOf, type Note } from '../rules/note-line.ts'

export interface ReviewLine {
  readonly path: string
  /** 1-based. */
  readonly line: number
  /** The line as in the file; `text` is without the markers of lists, quotations and tasks. */
  readonly raw: string
  readonly text: string
  /** Day of its daily log, `YYYY-MM-DD`; undefined for other notes. */
  readonly day: string | undefined
  readonly heading: string | undefined
}

export interface ReviewInput {
  readonly lines: readonly ReviewLine[]
  /** Pairs of indexes into `lines` that may contradict each other, best score first. */
  readonly pairs: readonly (readonly [number, number])[]
  /** Indexes of log lines, newest first. */
  readonly logLines: readonly number[]
  readonly memoryLines: readonly number[]
  readonly memorySectionTitles: readonly string[]
}

/** The maximum number of pairs is `pairsPerLine` times the number of lines, but at least `minPairLimit`. */
const pairsPerLine = 0.8
const minPairLimit = 200
/** UTF-16 code units; longer lines are paragraphs, not single facts. */
const maxLineLength = 600

/** Selects the lines and pairs that a review asks about, from all notes but the context files. */
export async function reviewInputOf(notes: readonly Note[], modelPath: string): Promise<ReviewInput> {
  const statements = notes
    .filter(({ kind }) => kind !== 'project')
    .flatMap(statementsOf)
    .filter(({ raw }) => raw.length <= maxLineLength && raw.isWellFormed())
  const maxPairs = Math.max(minPairLimit, Math.round(statements.length * pairsPerLine))
  const pairs = await findContradictionCandidates(
    statements.map(({ text }) => text),
    await loadSimilarityModel(modelPath),
    maxPairs,
  )
  const indexesOf = (kind: Note['kind']) => statements.flatMap(({ note }, index) => (note.kind === kind ? [index] : []))
  const dayNumberOf = (index: number) => statements[index]?.note.day ?? 0
  const memory = notes.find(({ kind }) => kind === 'memory')
  return {
    lines: statements.map(({ note: { path, day }, line, raw, text, headings }) => {
      return { path, line, raw, text, day: day === undefined ? undefined : formatDay(day), heading: headings.at(-1) }
    }),
    pairs: pairs.map(({ one, other }) => [one, other] as const),
    logLines: indexesOf('log').sort((one, other) => dayNumberOf(other) - dayNumberOf(one) || one - other),
    memoryLines: indexesOf('memory'),
    memorySectionTitles: memory ? memorySections(memory.text).map(({ title }) => title) : [],
  }
}

/** Returns the titled sections of level 2, or those of level 1 if there are none. */
export function memorySections(text: string): Section[] {
  const sections = sectionsOf(text.split('\n')).filter(({ title }) => title !== '')
  const level2 = sections.filter(({ level }) => level === 2)
  return level2.length > 0 ? level2 : sections.filter(({ level }) => level === 1)
}
