import { featuresOfLines, findDuplicates, type Line as SaidLine } from '../similarity/paraphrase-duplicates.ts'
import { toPlainText } from '../similarity/line-features.ts'
import type { SimilarityModel } from '../similarity/similarity-model.ts'
import { type Finding, evidenceOf } from '../suggestions/proposal.ts'
import { statementsOf, type Note, type Statement } from './note-line.ts'

interface Line extends SaidLine {
  readonly statement: Statement
}

/** Proposes to remove duplicate lines. @param likeness undefined compares words only */
export async function findDuplicateLines(
  notes: readonly Note[],
  likeness: SimilarityModel | undefined,
): Promise<Finding[]> {
  const statements = notes.filter(({ kind }) => kind !== 'project').flatMap(statementsOf)
  const said = featuresOfLines(statements.map(({ text }) => text))
  const lines = statements.flatMap((statement, index): Line | [] => {
    const lineFeatures = said[index]
    return lineFeatures ? { statement, text: toPlainText(statement.text), said: lineFeatures } : []
  })
  // A parent line must stay for its children.
  const twins = await findDuplicates(lines, likeness, { compare, isRemovable: ({ statement }) => !statement.isParent })
  return twins.map(({ kept: { statement: kept }, other: { statement: other }, similarity }) => {
    const isLogged = other.note.kind === 'log' && kept.note.kind === 'memory'
    return {
      rule: isLogged ? 'logged' : 'duplicate',
      evidence: [evidenceOf(other.note.path, other.line, other.raw), evidenceOf(kept.note.path, kept.line, kept.raw)],
      files: [{ path: other.note.path, edits: [{ line: other.line, before: [other.raw], after: [] }] }],
      detail: { likeness: similarity },
    }
  })
}

const ranks = { memory: 0, project: 1, note: 2, log: 3 } as const

/** Compares for sorting: negative if the first line is the one to keep. */
function compare({ statement: one, said }: Line, { statement: other, said: otherSaid }: Line): number {
  return (
    ranks[one.note.kind] - ranks[other.note.kind] ||
    Number(other.isParent) - Number(one.isParent) ||
    otherSaid.words.size - said.words.size ||
    one.note.path.localeCompare(other.note.path) ||
    one.line - other.line
  )
}
