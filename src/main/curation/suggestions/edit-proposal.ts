import type { Proposal, ProposedFile } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { quoteOf, strikeThrough } from '#shared/markdown/superseded.ts'
import type { Workspace } from '#workspace'
import { withLocalMarks, type LocalOf } from './keep-local.ts'
import { TextLines } from './line-edits.ts'
import { evidenceOf } from './proposal.ts'
import { readNote } from './read-note.ts'

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
    const changed = edits.map((edit) => ({ ...edit, after: [...(texts.shift() ?? [])] }))
    const file = hash === null ? undefined : await workspace.read(path)
    const isCurrent = file?.hash === hash || hash === null
    if (!isCurrent) throw new AppError('file_changed', `${path} was changed by another program`, { path })
    files.push({ path, hash, edits: changed, patch: new TextLines(file?.text ?? '').patch(path, changed) })
  }
  return { ...proposal, files }
}

/**
 * Swaps the two lines of a contradiction, so that the other one is struck.
 * @param today `YYYY-MM-DD`
 * @throws AppError `plan_outdated` if a line is gone
 */
export async function withSwappedSides(
  workspace: Workspace,
  proposal: Proposal,
  today: string,
  localOf: LocalOf,
): Promise<Proposal> {
  const [firstSide, secondSide] = proposal.evidence
  const isConflict = proposal.rule === 'contradiction' || proposal.rule === 'supersedes'
  const old = secondSide && (await locate(workspace, secondSide))
  const holding = firstSide && (await locate(workspace, firstSide))
  if (!isConflict || !old || !holding) throw new AppError('plan_outdated', 'its lines have changed', {})
  const struck = strikeThrough(old.raw, {
    until: today,
    by: { path: holding.path, line: holding.line, text: quoteOf(holding.raw) },
  })
  const found = {
    rule: proposal.rule,
    evidence: [evidenceOf(old.path, old.line, old.raw), evidenceOf(holding.path, holding.line, holding.raw)],
    files: [{ path: old.path, edits: [{ line: old.line, before: [old.raw], after: [struck] }] }],
  }
  const textOf = (path: string) => [old, holding].find((one) => one.path === path)?.text
  const edits = (withLocalMarks(found, { textOf, localOf }) ?? found.files).flatMap((file) => file.edits)
  return {
    ...proposal,
    evidence: found.evidence,
    files: [{ path: old.path, hash: old.hash, edits, patch: old.lines.patch(old.path, edits) }],
    detail: { ...proposal.detail, day: today },
  }
}

async function locate(workspace: Workspace, { path, line, text }: Proposal['evidence'][number]) {
  const file = await readNote(workspace, path)
  const at = file?.lines.findWords(text, line, true)
  const raw = at === undefined ? undefined : file?.lines.lines[at - 1]
  if (!file || at === undefined || raw === undefined) return undefined
  return { ...file, path, line: at, raw }
}
