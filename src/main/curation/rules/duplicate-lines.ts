import { findDuplicates, type Line as ComparedLine } from '../similarity/duplicates.ts'
import { featuresOf, toPlainText } from '../similarity/line-features.ts'
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
  const statements = notes.filter(({ kind }) => kind !== 'project').flatMap(statementsOf)
  const features = featuresOf(statements.map(({ text }) => text))
  const lines = statements.flatMap((statement, index): Line | [] => {
    const lineFeatures = features[index]
    const hasContent = lineFeatures !== undefined && lineFeatures.words.size >= minWords
    return hasContent ? { statement, text: toPlainText(statement.text), features: lineFeatures } : []
  })
  // A parent line must stay for its children.
  const pairs = await findDuplicates(lines.sort(compare), model, ({ statement }) => !statement.isParent)
  return pairs.map(({ original: { statement: original }, duplicate: { statement: duplicate }, similarity }) => {
    const rule = duplicate.note.kind === 'log' && original.note.kind === 'memory' ? 'logged' : 'duplicate'
    const finding = lineFinding(rule, { ...duplicate, path: duplicate.note.path }, [], { likeness: similarity })
    return { ...finding, evidence: [...finding.evidence, evidenceOf(original.note.path, original.line, original.raw)] }
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
