import { z } from 'zod'
import { defineTool, pathParameter } from './tool.ts'
import { join } from 'node:path'
import { AppError } from '#shared/util/errors.ts'
import { assertLineExists, readNamedLines } from '#shared/util/file-lines.ts'
import { readIfExists, writeDurably } from '#platform'

const maxCharacters = 50_000
/** Virtual folder with the saved results that were too long for a model. */
const outputsPrefix = 'tool-output/'

export const readFileTool = defineTool({
  name: 'read',
  description: 'Reads a text file of the workspace. Long files come in pages: ask for the next one with `from`.',
  readOnly: true,
  parameters: z.object({
    path: pathParameter,
    from: z.number().int().min(1).max(1_000_000).optional().describe('First line, 1-based'),
    lines: z.number().int().min(1).max(5000).optional(),
  }),
  run(input, context) {
    const { visible, readOutput } = context
    return readNamedLines(input, async ({ path, from = 1, lines = 2000 }) => {
      const outputName = path.startsWith(outputsPrefix) ? path.slice(outputsPrefix.length) : undefined
      const text = outputName === undefined ? (await visible.read(path)).text : await readOutput(outputName)
      const lineCount = splitLines(text).length
      const page = fitPage(sliceLines(path, text, from, lines))
      const last = from + page.length - 1
      const footer = last < lineCount ? `\n[lines ${from}–${last} of ${lineCount}; continue with from=${last + 1}]` : ''
      return { text: page.join('\n') + footer }
    })
  },
})

/** Returns up to `count` lines from the 1-based line `from`. @throws AppError `input_invalid` if it is after the end */
export function sliceLines(path: string, text: string, from: number, count: number): string[] {
  const lines = splitLines(text)
  assertLineExists(path, lines.length, from)
  return lines.slice(from - 1, from - 1 + count)
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function fitPage(lines: readonly string[]): string[] {
  const page: string[] = []
  let characters = 0
  for (const line of lines) {
    characters += line.length + 1
    if (characters > maxCharacters) {
      if (page.length === 0) page.push(`${line.slice(0, maxCharacters)}…`)
      break
    }
    page.push(line)
  }
  return page
}

/** Saves a long result. @param folder absolute path @returns the virtual path for `readFileTool` */
export async function saveOutput(folder: string, callId: string, text: string): Promise<string> {
  const name = `${callId.replaceAll(/[^\w-]/g, '_').slice(0, 100)}.txt`
  await writeDurably(join(folder, name), text)
  return outputsPrefix + name
}

/** Returns a saved result. @param name path without `outputsPrefix` @throws AppError `file_not_found` */
export async function readOutput(folder: string, name: string): Promise<string> {
  const notFound = () => new AppError('file_not_found', `there is no ${outputsPrefix}${name}`, { path: name })
  if (!/^[\w-]+\.txt$/.test(name)) throw notFound()
  const text = await readIfExists(join(folder, name))
  if (text === undefined) throw notFound()
  return text
}
