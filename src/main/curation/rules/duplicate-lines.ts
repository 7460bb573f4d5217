import { fold } from '#search/text'
import { findDuplicates, type Line as ComparedLine } from '../similarity/duplicates.ts'
import { toPlainText } from '#search/text'
import { featuresOf } from '../similarity/line-features.ts'
import type { SimilarityModel } from '../similarity/similarity-model.ts'
import { type Finding, evidenceOf, lineFinding } from '../suggestions/proposal.ts'
import { statementsOf, type Note, type Statement } from './note-line.ts'

interface Line extends ComparedLine {
  readonly statement: Statement
}

/** Lines with fewer words are no statements. */
const minWords = 3

/** Proposes to remove duplicate lines. @param model undefined compares words only */
export async function findDuplicateLines(
  notes: readonly Note[],
  model: SimilarityModel | undefined,
): Promise<Finding[]> {
  const lines = linesOf(notes.filter(({ kind }) => kind !== 'project').flatMap(statementsOf))
  // A parent line must stay for its children.
  const pairs = await findDuplicates(lines.sort(compare), model, ({ statement }) => !statement.isParent)
  return pairs.map(({ original: { statement: original }, duplicate: { statement: duplicate }, similarity }) => {
    const rule = duplicate.note.kind === 'log' && original.note.kind === 'memory' ? 'logged' : 'duplicate'
    const finding = lineFinding(rule, { ...duplicate, path: duplicate.note.path }, [], { likeness: similarity })
    return { ...finding, evidence: [...finding.evidence, evidenceOf(original.note.path, original.line, original.raw)] }
  })
}

/** Returns the statement that a saved one repeats; undefined if there is none. @param model as `findDuplicateLines` */
export async function findOriginal(
  saved: Statement,
  others: readonly Statement[],
  model: SimilarityModel | undefined,
): Promise<Statement | undefined> {
  const words = [...(featuresOf([saved.text])[0]?.words.values() ?? [])].map((word) => fold(word).slice(0, 4))
  const isAlike = ({ text }: Statement) => {
    const folded = fold(text)
    return words.filter((word) => folded.includes(word)).length >= words.length / 2
  }
  const alike = others.filter(isAlike)
  const [pair] = await findDuplicates(linesOf([...alike, saved]), model, ({ statement }) => statement === saved)
  // Lines of few words are compared as a whole.
  return pair?.original.statement ?? alike.find(({ text }) => text === saved.text)
}

function linesOf(statements: readonly Statement[]): Line[] {
  const features = featuresOf(statements.map(({ text }) => text))
  return statements.flatMap((statement, index): Line | [] => {
    const lineFeatures = features[index]
    const hasContent = lineFeatures !== undefined && lineFeatures.words.size >= minWords
    return hasContent ? { statement, text: toPlainText(statement.text), features: lineFeatures } : []
  })
}

const ranks = { memory: 0, project: 1, note: 2, log: 3 } as const

/** Compares for sorting: negative if the first line is the one to keep. */
function compare({ statement: one, features }: Line, { statement: other, features: otherFeatures }: Line): number {
  return (
    ranks[one.note.kind] - ranks[other.note.kind] ||
    Number(other.isParent) - Number(one.isParent) ||
    otherFeatures.words.size - features.words.size ||
    one.note.path.localeCompare(other.note.path) ||
    one.line - other.line
  )
}
