import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { dailyLogDate, isInstruction } from '#workspace'
import { withSources } from './access-policy.ts'
import { defineTool, pathParameter } from './tool.ts'

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
    const { workspace, mayWrite, signal, accessPolicy } = context
    const origin = withSources(context)
    const path = await workspace.realPath(requestedPath)
    assertMayWrite(path, mayWrite, workspace.layout.own)
    const rewrite = (current: string | undefined): string => {
      if (append) return appendText(dailyLogDate(path, workspace.layout), current, content)
      if (
        current !== undefined &&
        dailyLogDate(path, workspace.layout) !== undefined &&
        !content.startsWith(current.trimEnd())
      ) {
        throw new AppError('input_invalid', `${path} is a daily log: add to it with append: true`, { path })
      }
      return content
    }
    const write = await workspace.edit(path, origin, (text) => accessPolicy.applyEdit(path, text, rewrite, context))
    const change = await workspace.describe(write, signal)
    return {
      text: `${path}: ${change.added} lines added, ${change.removed} removed`,
      details: { kind: 'change', change },
    }
  },
})

/** Returns the new text of a file. @param date day of a daily log; undefined for other files */
function appendText(date: string | undefined, current: string | undefined, content: string): string {
  const newFileText = date === undefined ? '' : `# ${date}\n`
  const before = current ? current.replace(/\n*$/, '\n') : newFileText
  const blankLine = before === '' || !content.startsWith('#') ? '' : '\n'
  return `${before}${blankLine}${content.replace(/\n*$/, '\n')}`
}

/** @throws AppError `write_refused` for names that other programs read as instructions, `path_outside_workspace` */
export function assertMayWrite(path: string, mayWrite: (path: string) => boolean, agentFolder: string): void {
  if (isInstruction(path, agentFolder))
    throw new AppError(
      'write_refused',
      `${path}: other programs treat files of this name as instructions; choose another name`,
      {
        path,
        allowed: '.md',
      },
    )
  if (mayWrite(path)) return
  throw new AppError('path_outside_workspace', `${path}: only MEMORY.md and files below memory/ can be written now`, {
    path,
  })
}
