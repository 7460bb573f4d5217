import type { Proposal, ProposedFile } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { Workspace } from '#workspace'
import { withPrivateMarks, type PrivacyOf } from './keep-private.ts'
import { TextLines } from './line-edits.ts'
import { readNote, supersedingFinding } from './proposal.ts'

/**
 * Replaces the new lines of each edit by those in `after`, in the order of files and edits.
 * @throws AppError `input_invalid` for a wrong number of texts, `file_changed`, and as `Workspace.read`
 */
export async function withEditedTexts(
  workspace: Workspace,
  proposal: Proposal,
  after: readonly (readonly string[])[],
): Promise<Proposal> {
  const count = proposal.files.reduce((sum, { edits }) => sum + edits.length, 0)
  if (after.length !== count) throw new AppError('input_invalid', `${count} texts are required`, { field: 'after' })
  const texts = [...after]
  const files: ProposedFile[] = []
  for (const { path, hash, edits } of proposal.files) {
    const changedEdits = edits.map((edit) => ({ ...edit, after: [...(texts.shift() ?? [])] }))
    const file = hash === null ? undefined : await workspace.read(path)
    const isCurrent = file?.hash === hash || hash === null
    if (!isCurrent) throw new AppError('file_changed', `${path} was changed by another program`, { path })
    files.push({ path, hash, edits: changedEdits, patch: new TextLines(file?.text ?? '').patch(path, changedEdits) })
  }
  return { ...proposal, files }
}

/**
 * Swaps the two lines of a contradiction, so that the other line is struck through.
 * @param today `YYYY-MM-DD`
 * @throws AppError `plan_outdated` if a line is gone
 */
export async function withSwappedSides(
  workspace: Workspace,
  proposal: Proposal,
  today: string,
  privacyOf: PrivacyOf,
): Promise<Proposal> {
  const [firstSide, secondSide] = proposal.evidence
  const { rule } = proposal
  const outdated = secondSide && (await locate(workspace, secondSide))
  const current = firstSide && (await locate(workspace, firstSide))
  if ((rule !== 'contradiction' && rule !== 'supersedes') || !outdated || !current)
    throw new AppError('plan_outdated', 'its lines have changed', {})
  const finding = supersedingFinding(outdated, current, today, rule)
  const textOf = (path: string) => [outdated, current].find((side) => side.path === path)?.text
  const edits = (withPrivateMarks(finding, { textOf, privacyOf }) ?? finding.files).flatMap((file) => file.edits)
  return {
    ...proposal,
    evidence: [...finding.evidence],
    files: [{ path: outdated.path, hash: outdated.hash, edits, patch: outdated.lines.patch(outdated.path, edits) }],
    detail: { ...proposal.detail, day: today },
  }
}

async function locate(workspace: Workspace, { path, line, text }: Proposal['evidence'][number]) {
  const file = await readNote(workspace, path)
  const lineNumber = file?.lines.findTrimmed(text, line, true)
  const raw = lineNumber === undefined ? undefined : file?.lines.lines[lineNumber - 1]
  if (!file || lineNumber === undefined || raw === undefined) return undefined
  return { ...file, path, line: lineNumber, raw }
}
