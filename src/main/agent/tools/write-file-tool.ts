import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { secretsIn } from '#shared/util/secrets.ts'
import { dailyLogDate, type WorkspaceWrite } from '#workspace'
import { withSources } from './access-policy.ts'
import { defineTool, pathParameter, type ToolContext, type ToolOutcome } from './tool.ts'

export const writeFileTool = defineTool({
  name: 'write',
  description:
    'Creates a note (.md, .txt, .csv), replaces it, or (append: true) adds to its end. Daily logs (memory/YYYY-MM-DD.md) can only be appended to; begin an entry with "## HH:MM - Title".',
  readOnly: false,
  parameters: z.object({
    path: pathParameter,
    content: z.string(),
    append: z.boolean().optional().describe('Add to the end instead of replacing'),
  }),
  async run({ path: requestedPath, content, append = false }, context) {
    const write = await editNote(requestedPath, context, (current, path) => {
      const logDate = dailyLogDate(path, context.workspace.layout)
      if (append) return appendText(logDate, current, content)
      if (logDate !== undefined && current !== undefined && !content.startsWith(current.trimEnd()))
        throw new AppError('input_invalid', `${path} is a daily log: add to it with append: true`, { path })
      return content
    })
    return changeOutcome(write, context)
  },
})

/**
 * Edits a note for a model.
 * @param rewrite edits the text that the model may see; see `AccessPolicy.applyEdit` for it and `needsExistingText`
 * @throws AppError as `assertMayWrite`, `AccessPolicy.applyEdit` and `Workspace.edit`
 */
export async function editNote(
  requestedPath: string,
  context: ToolContext,
  rewrite: (visibleText: string | undefined, path: string) => string,
  options?: { readonly needsExistingText: boolean },
): Promise<WorkspaceWrite> {
  const { workspace, mayWrite, accessPolicy } = context
  const path = await workspace.realPath(requestedPath)
  assertMayWrite(path, mayWrite)
  return workspace.edit(path, withSources(context), (current) =>
    accessPolicy.applyEdit(path, current, (visibleText) => rewrite(visibleText, path), context, options),
  )
}

/** Returns the outcome of an edit. @param text for the model; default: the path and the number of changed lines */
export async function changeOutcome(
  write: WorkspaceWrite,
  { workspace, signal }: ToolContext,
  text?: string,
): Promise<ToolOutcome> {
  const change = await workspace.describe(write, signal)
  const summary = `${write.path}: ${change.added} lines added, ${change.removed} removed`
  const hasSecret = secretsIn(write.after ?? '').length > secretsIn(write.before ?? '').length
  const remark = hasSecret
    ? '\nIt looks like a secret. Tell the user that every chat can read it unless it is made private.'
    : ''
  return { text: (text ?? summary) + remark, details: { kind: 'change', change } }
}

/** Returns the new text of a file. @param date day of a daily log; undefined for other files */
function appendText(date: string | undefined, current: string | undefined, content: string): string {
  const newFileText = date === undefined ? '' : `# ${date}\n`
  const before = current ? current.replace(/\n*$/, '\n') : newFileText
  const blankLine = before === '' || !content.startsWith('#') ? '' : '\n'
  return `${before}${blankLine}${content.replace(/\n*$/, '\n')}`
}

/** @throws AppError `path_outside_workspace` */
export function assertMayWrite(path: string, mayWrite: (path: string) => boolean): void {
  if (mayWrite(path)) return
  throw new AppError('path_outside_workspace', `${path}: only MEMORY.md and files below memory/ can be written now`, {
    path,
  })
}
