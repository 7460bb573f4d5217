import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { missingFileError } from './access-policy.ts'
import { defineTool, pathParameter } from './tool.ts'
import { changeOutcome, editNote } from './write-file-tool.ts'

export const editFileTool = defineTool({
  name: 'edit',
  description:
    'Replaces one passage of a file. `oldText` must occur in the file exactly once, with the same white space. Daily logs can only be appended to.',
  readOnly: false,
  parameters: z.object({ path: pathParameter, oldText: z.string().min(1), newText: z.string() }),
  async run({ path: requestedPath, oldText, newText }, context) {
    const rewrite = (visibleText: string | undefined, path: string) => {
      if (visibleText !== undefined) return replaceOnce(path, visibleText, oldText, newText)
      const { message } = missingFileError(requestedPath)
      throw new AppError('file_not_found', `${message}; create it with write`, { path: requestedPath })
    }
    return changeOutcome(await editNote(requestedPath, context, rewrite, { needsExistingText: true }), context)
  },
})

/**
 * Replaces the only occurrence of `oldText`.
 * @param text the file as the model sees it
 * @throws AppError `edit_no_match` with the closest line, `edit_ambiguous` with the lines (1-based) of two matches
 */
function replaceOnce(path: string, text: string, oldText: string, newText: string): string {
  const [line, secondLine] = occurrenceLines(text, oldText)
  if (line === undefined) {
    const closest = closestLine(text, oldText)
    const hint = closest ? `; the closest line is ${closest.number}: ${closest.line}` : ''
    throw new AppError('edit_no_match', `oldText does not occur in ${path}${hint}`, { path })
  }
  if (secondLine === undefined) return text.replace(oldText, () => newText)
  throw new AppError(
    'edit_ambiguous',
    `oldText occurs in ${path} more than once (lines ${line} and ${secondLine}); include more of the surrounding text`,
    { path },
  )
}

function closestLine(text: string, oldText: string): { number: number; line: string } | undefined {
  const words = new Set((oldText.split('\n', 1)[0] ?? '').toLowerCase().split(/\s+/).filter(Boolean))
  let closest: { number: number; line: string } | undefined
  let closestWordCount = 0
  for (const [index, line] of text.split('\n').entries()) {
    const sharedWordCount = line
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => words.has(word)).length
    if (sharedWordCount > closestWordCount) {
      closestWordCount = sharedWordCount
      closest = { number: index + 1, line }
    }
  }
  return closest
}

/** Returns the 1-based line in which each occurrence of `passage` begins; occurrences may overlap. */
function occurrenceLines(text: string, passage: string): number[] {
  const lines: number[] = []
  for (let index = text.indexOf(passage); index >= 0; index = text.indexOf(passage, index + 1))
    lines.push(text.slice(0, index).split('\n').length)
  return lines
}
