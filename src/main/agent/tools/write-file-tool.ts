import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { secretsIn } from '#shared/util/secrets.ts'
import {
  dailyLogDate,
  dailyLogPath,
  endsInPrivateText,
  localDate,
  localTime,
  longTermFile,
  type Workspace,
} from '#workspace'

import { appendBlock } from '#shared/markdown/log-entry.ts'
import { hasSourceMark, sourceName } from '#shared/markdown/provenance.ts'
import { addedLines } from '#shared/markdown/visibility-edit.ts'
import { defineTool, pathParameter, type ToolContext, type ToolOutcome } from './tool.ts'

export const writeFileTool = defineTool({
  name: 'write',
  description: `Creates a note (.md, .markdown), replaces it, or (append: true) adds to its end. Daily logs (memory/YYYY-MM-DD.md) can only be appended to: add one line "- HH:MM text", or "## HH:MM - Title" and the text below it if it is longer.`,
  readOnly: false,
  parameters: z.object({
    path: pathParameter,
    content: z.string(),
    append: z.boolean().optional().describe('Add to the end instead of replacing'),
  }),
  async run({ path: requestedPath, content, append = false }, context) {
    const write = await editNote(requestedPath, context, (current, path) =>
      append ? appendText(dailyLogDate(path, context.workspace.layout), current, content, context.now()) : content,
    )
    return changeOutcome(write, context)
  },
})

/**
 * Edits a note for a model. Daily logs can only be appended to.
 * @param rewrite edits the text that the model may see; see `AccessPolicy.applyEdit` for it and `needsExistingText`
 * @throws AppError `input_invalid` if it changes the text of a log; as `assertMayWrite`, `AccessPolicy.applyEdit` and
 * `Workspace.edit`
 */
export async function editNote(
  requestedPath: string,
  context: ToolContext,
  rewrite: (visibleText: string | undefined, path: string) => string,
  options?: { readonly needsExistingText: boolean },
) {
  const { workspace, accessPolicy, shortenEntries, sources } = context
  const path = await workspace.realPath(requestedPath)
  await assertMayWrite(path, context)
  const isLog = dailyLogDate(path, workspace.layout) !== undefined
  const origin = { ...context.origin, sources: context.origin.sources }
  return workspace.edit(path, origin, async (current) => {
    const text = await accessPolicy.applyEdit(
      path,
      current,
      (visibleText) => {
        const after = rewrite(visibleText, path)
        if (!isLog) return after
        const [before, added] = splitAppended(path, visibleText ?? '', after)
        const kept = shortenEntries?.(added, before) ?? added
        if (before + kept === '') throw new AppError('input_invalid', 'nothing in it is about this chat', { path })
        return before + kept
      },
      context,
      options,
    )
    const added = addedLines(current ?? '', text)
    // The words of the user get no mark.
    const isMarked = added.some(([, line]) => hasSourceMark(line) || line.startsWith('source: '))
    origin.sources = isMarked ? sources.map(sourceName) : undefined
    return text
  })
}

/** Returns the old text of a log, and the text after it. @throws AppError `input_invalid` if the old text changes */
function splitAppended(path: string, before: string, after: string): [string, string] {
  const kept = before.trimEnd()
  // The model's text has other line ends than some files.
  const start = [kept, kept.replaceAll('\r\n', '\n')].find((text) => after.startsWith(text))
  const added = after.slice(start?.length)
  if (start === '' || (start !== undefined && /^[^\S\n]*(?:\n|$)/.test(added))) return [kept, added]
  throw new AppError(
    'input_invalid',
    `${path} is a daily log: its text stays as it is. Append a new entry with write and append: true; if it replaces an earlier one, name the line, for example: - 10:30 Rust over C (replaces ${path}:12)`,
    { path },
  )
}

/** Returns the outcome of an edit. Its text is the path and the number of changed lines. */
export async function changeOutcome(
  write: Parameters<Workspace['describe']>[0],
  { workspace }: ToolContext,
): Promise<ToolOutcome> {
  const change = workspace.describe(write)
  const summary = `${write.path}: ${change.added} lines added, ${change.removed} removed`
  const hasSecret = secretsIn(write.after ?? '').length > secretsIn(write.before ?? '').length
  const remark = hasSecret
    ? '\nIt looks like a secret. Tell the user that every chat can read it unless it is made private.'
    : ''
  return { text: summary + remark, details: { kind: 'change', change } }
}

/** Returns the new text of a file. @param date day of a daily log; undefined for other files */
function appendText(date: string | undefined, current: string | undefined, content: string, at: Date): string {
  if (date === undefined) {
    const before = current ? current.replace(/\n*$/, '\n') : ''
    return `${before}${before === '' || !content.startsWith('#') ? '' : '\n'}${content.replace(/\n*$/, '\n')}`
  }
  const before = current || `# ${date}\n`
  const heading = content.startsWith('#') || !endsInPrivateText(before) ? '' : `## ${localTime(at)}\n`
  return appendBlock(before, heading + content)
}

/** @throws AppError `path_outside_workspace`; `input_invalid` for a new file whose name has `YYYY-MM-DD` for the day */
async function assertMayWrite(path: string, { mayWrite, workspace, now }: ToolContext): Promise<void> {
  if (!mayWrite(path)) {
    const allowed = `only ${longTermFile(workspace.layout)} and files below memory/ can be written now`
    throw new AppError('path_outside_workspace', `${path}: ${allowed}`, { path })
  }
  if (!/YYYY[^\d/]?MM[^\d/]?DD/i.test(path) || (await workspace.exists(path))) return
  const reason = `${path} has YYYY-MM-DD for the day; today's log is ${dailyLogPath(localDate(now()), workspace.layout)}`
  throw new AppError('input_invalid', reason, { reason })
}
