import { z } from 'zod'
import type { ChatModel, ToolDefinition } from '#llm'
import { readNamedLines } from '#shared/util/file-lines.ts'
import { addLogEntry, dailyLogPath, localDate } from '#workspace'
import { AppError } from '#shared/util/errors.ts'
import { windowProfile } from '../context/context-budget.ts'
import { memorySearchTool } from './memory-search-tool.ts'
import { readFileTool, sliceLines } from './read-file-tool.ts'
import { type Tool, defineTool, pathParameter } from './tool.ts'
import { changeOutcome, editNote, writeFileTool } from './write-file-tool.ts'
import { missingFileError } from '../privacy/visible-memory.ts'

const editFileTool = defineTool({
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
    return changeOutcome(await editNote(requestedPath, context, rewrite, true), context)
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

const maxEntries = 500
const maxFirst = 1_000_000

const list = defineTool({
  name: 'list',
  description: 'Lists the Markdown files of the workspace, or of one of its folders, with their size.',
  readOnly: true,
  parameters: z.object({
    path: z.string().optional().describe('A folder'),
    from: z.number().int().min(1).max(maxFirst).optional().describe('First entry, 1-based'),
  }),
  async run({ path = '', from = 1 }, context) {
    const { workspace, signal, visible: memory } = context
    const isWholeWorkspace = ['', '.', './'].includes(path.trim())
    const files = isWholeWorkspace ? (await workspace.list(signal)).files : await workspace.listFolder(path, signal)
    const visible = await memory.files(files)
    const page = visible.slice(from - 1, from - 1 + maxEntries)
    const lines = page.map(({ path, size }) => `${path} (${size} bytes)`)
    const last = from + page.length - 1
    if (last < visible.length) lines.push(`[${from}–${last} of ${visible.length}; continue with from=${last + 1}]`)
    return { text: lines.length > 0 ? lines.join('\n') : 'no files' }
  },
})

const memoryGet = defineTool({
  name: 'memory_get',
  description:
    'Reads lines of a memory file that memory_search named, such as memory/2026-01-20.md:45-52. Lines are numbered from 1.',
  readOnly: true,
  parameters: z.object({
    path: pathParameter,
    from: z.number().int().min(1).max(maxFirst).optional().describe('First line, 1-based'),
    lines: z.number().int().min(1).max(2000).optional(),
  }),
  run(input, context) {
    return readNamedLines(input, async ({ path, from = 1, lines = 2000 }) => {
      const { text } = await context.visible.read(path)
      return { text: JSON.stringify({ path, text: sliceLines(path, text, from, lines).join('\n') }) }
    })
  },
})

/** Replaces the file tools for models with a small context window. */
const rememberTool = defineTool({
  name: 'remember',
  description: "Appends a note to today's log.",
  readOnly: false,
  parameters: z.object({ text: z.string().trim().min(1) }),
  async run({ text }, context) {
    const at = context.now()
    const path = dailyLogPath(localDate(at), context.workspace.layout)
    const write = await editNote(path, context, (log) => addLogEntry(log, text, at).text)
    return changeOutcome(write, context)
  },
})

/** Built-in tools in the order in which models receive them. */
export const builtInTools: readonly Tool[] = [
  memorySearchTool,
  memoryGet,
  readFileTool,
  writeFileTool,
  editFileTool,
  list,
  rememberTool,
]

export function isBuiltIn(tool: Tool): boolean {
  return builtInTools.includes(tool)
}

/**
 * Returns the tools that requests offer: none to a model that cannot call them. For a small context window, `remember`
 * replaces the file tools.
 */
export function offeredTools(
  tools: readonly Tool[],
  { contextWindow, takesTools }: Pick<ChatModel, 'contextWindow' | 'takesTools'>,
): Tool[] {
  if (takesTools?.() === false) return []
  const { isSmall } = windowProfile(contextWindow)
  return tools.filter((tool) => (isSmall ? tool === memorySearchTool || tool === rememberTool : tool !== rememberTool))
}

export function definitionsOf(tools: readonly Tool[]): ToolDefinition[] {
  return tools.map(({ name, description, schema }) => ({ name, description, parameters: schema }))
}
