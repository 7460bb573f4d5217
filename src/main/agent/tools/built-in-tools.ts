import type { ChatModel, ToolDefinition } from '#llm'
import { windowProfile } from '../context/window-profile.ts'
import { editFileTool } from './edit-file-tool.ts'
import { memorySearch } from './memory-search-tool.ts'
import { readFileTool, sliceLines } from './read-file-tool.ts'
import { type Tool, defineTool, pathParameter } from './tool.ts'
import { changeOutcome, editNote, writeFileTool } from './write-file-tool.ts'
import { z } from 'zod'
import { missingFileError } from './access-policy.ts'
import { visibleFiles, readVisible } from './visible-files.ts'
import { readNamedLines } from '#shared/util/file-lines.ts'
import { sessionOfPath, transcriptText } from '#search'
import { addLogEntry, dailyLogPath, localDate } from '#workspace'

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
    const { workspace, signal } = context
    const isWholeWorkspace = ['', '.', './'].includes(path.trim())
    const files = isWholeWorkspace ? (await workspace.list(signal)).files : await workspace.listFolder(path, signal)
    const visible = await visibleFiles(files, context)
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
    const { readSession, accessPolicy } = context
    return readNamedLines(input, async ({ path, from = 1, lines = 2000 }) => {
      const session = sessionOfPath(path)
      const text =
        session === undefined
          ? await readVisible(path, context)
          : accessPolicy.visibleText(path, transcriptText(await readSession(session)))
      if (text === undefined) throw missingFileError(path)
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
  memorySearch,
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
  return tools.filter((tool) => (isSmall ? tool === memorySearch || tool === rememberTool : tool !== rememberTool))
}

export function definitionsOf(tools: readonly Tool[]): ToolDefinition[] {
  return tools.map(({ name, description, schema }) => ({ name, description, parameters: schema }))
}
