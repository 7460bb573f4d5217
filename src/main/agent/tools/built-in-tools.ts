import { z } from 'zod'
import { join } from 'node:path'
import type { ChatModel, ToolDefinition } from '#llm'
import { assertLineExists, readNamedLines, linesIn } from '#shared/util/file-lines.ts'
import { readIfExists, writeDurably } from '#platform'
import { datedNote } from '#search/text'
import { addLogEntry, dailyLogPath, localDate } from '#workspace'
import { AppError } from '#shared/util/errors.ts'
import type { SearchResponse } from '#shared/contract/index.ts'
import { sourceName, sourcesOfLine } from '#shared/markdown/provenance.ts'
import { recordedSearchSchema, searchSettingsSchema } from '#shared/contract/search.ts'
import { formatRemarks, formatResult } from '#shared/util/format-result.ts'
import { sessionOfPath, type SearchOverrides } from '#search'
import { windowProfile } from '../context/context-budget.ts'
import { type Tool, defineTool, pathParameter, type ToolContext } from './tool.ts'
import { changeOutcome, editNote, writeFileTool } from './write-file-tool.ts'
import { missingFileError } from '../privacy/visible-memory.ts'

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
      const lineCount = linesIn(text).length
      const page = fitPage(sliceLines(path, text, from, lines))
      const last = from + page.length - 1
      const footer = last < lineCount ? `\n[lines ${from}–${last} of ${lineCount}; continue with from=${last + 1}]` : ''
      return { text: page.join('\n') + footer }
    })
  },
})

/** Returns up to `count` lines from the 1-based line `from`. @throws AppError `input_invalid` if it is after the end */
function sliceLines(path: string, text: string, from: number, count: number): string[] {
  const lines = linesIn(text)
  assertLineExists(path, lines.length, from)
  return lines.slice(from - 1, from - 1 + count)
}

function fitPage(lines: readonly string[]): string[] {
  let characters = 0
  const tooMany = lines.findIndex((line) => (characters += line.length + 1) > maxCharacters)
  if (tooMany === 0) return [`${lines[0]?.slice(0, maxCharacters)}…`]
  return lines.slice(0, tooMany < 0 ? undefined : tooMany)
}

/** Saves a long result. @param folder absolute path @returns the virtual path for `readFileTool` */
export async function saveOutput(folder: string, callId: string, text: string): Promise<string> {
  const name = `${callId.replaceAll(/[^\w-]/g, '_').slice(0, 100)}.txt`
  await writeDurably(join(folder, name), text)
  return outputsPrefix + name
}

/** Returns a saved result. @param name path without `outputsPrefix` @throws AppError `file_not_found` */
export async function readOutput(folder: string, name: string): Promise<string> {
  const text = /^[\w-]+\.txt$/.test(name) ? await readIfExists(join(folder, name)) : undefined
  if (text !== undefined) return text
  throw new AppError('file_not_found', `there is no ${outputsPrefix}${name}`, { path: name })
}

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

/** @throws AppError `edit_no_match` with the closest line, `edit_ambiguous` with the lines (1-based) of two matches */
function replaceOnce(path: string, text: string, oldText: string, newText: string): string {
  const first = text.indexOf(oldText)
  if (first < 0) {
    const closest = closestLine(text, oldText)
    const hint = closest ? `; the closest line is ${closest.number}: ${closest.line}` : ''
    throw new AppError('edit_no_match', `oldText does not occur in ${path}${hint}`, { path })
  }
  const second = text.indexOf(oldText, first + 1)
  if (second < 0) return text.replace(oldText, () => newText)
  const [line, secondLine] = [first, second].map((index) => text.slice(0, index).split('\n').length)
  const fact = `oldText occurs in ${path} more than once (lines ${line} and ${secondLine})`
  throw new AppError('edit_ambiguous', `${fact}; include more of the surrounding text`, { path })
}

/** Returns the line that shares most words with the first one of `oldText`; undefined if none shares any. */
function closestLine(text: string, oldText: string): { number: number; line: string } | undefined {
  const wordsIn = (line: string) => line.toLowerCase().split(/\s+/).filter(Boolean)
  const words = new Set(wordsIn(oldText.split('\n', 1)[0] ?? ''))
  const lines = text.split('\n').map((line, index) => {
    return { number: index + 1, line, shared: wordsIn(line).filter((word) => words.has(word)).length }
  })
  return lines.filter(({ shared }) => shared > 0).sort((one, other) => other.shared - one.shared)[0]
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
    const write = await editNote(path, context, (log) => addLogEntry(log, datedNote(text, localDate(at)), at).text)
    return changeOutcome(write, context)
  },
})

/** More results than this need more characters than a search has by default. */
const manyResults = 20
const charactersOfMany = 12_000

export const memorySearchTool = defineTool({
  name: 'memory_search',
  description:
    'Searches the notes by words and meaning. Mandatory before answering about prior work, decisions, dates, people, preferences or to-dos, unless <memory> answers. Returns one entry a line, best first: path:first-last · score · date · text. (until …) or (replaced by …) marks an outdated entry, (does not mention: …) a weak one. Filters: after: before: on: in: (in:2024-05), path:projects/, tag:work, status:open, -word.',
  readOnly: true,
  parameters: z.object({
    query: z.string().min(1),
    maxResults: searchSettingsSchema.shape.maxResults.max(50).optional(),
    minScore: searchSettingsSchema.shape.minScore
      .optional()
      .describe('Minimum probability that an entry answers the query; usually not needed'),
  }),
  async run({ query, maxResults, minScore }, context) {
    const maxCharacters = maxResults !== undefined && maxResults > manyResults ? charactersOfMany : undefined
    const { response, lines } = await searchVisible(query, { maxResults, minScore, maxCharacters }, context)
    const texts = lines.map(({ line }) => line)
    return {
      text: [...(texts.length > 0 ? texts : ['No note answers this.']), ...remarksOn(response)].join('\n'),
      details: { kind: 'recall', recall: recordedSearchSchema.parse(response) },
    }
  },
})

export type SearchContext = Pick<ToolContext, 'visible' | 'session' | 'signal'>

/** A result with its line for the model, and the sources of its note. */
export type VisibleLine = Awaited<ReturnType<typeof searchVisible>>['lines'][number]

/** Searches without the chat itself. The lines are of results that the chat may see. @throws as `Memory.search` */
export async function searchVisible(query: string, options: SearchOverrides, context: SearchContext) {
  const { visible, session, signal } = context
  // The query of a private chat may contain private text.
  const overrides = { ...options, excludeSession: session, staysHere: visible.seesPrivate }
  const { response, files } = await visible.searchFiles(query, overrides, signal)
  const lines = response.results.map((result) => {
    const { path, startLine } = result
    // The text of a line names its own sources.
    const sources = sessionOfPath(path) === undefined ? sourcesOfLine(files.get(path)?.text ?? '', startLine) : []
    const origin = sources.length > 0 ? ` (from ${sources.map(sourceName).join('; ')})` : ''
    return { result, sources, line: formatResult(result) + formatRemarks(result) + origin }
  })
  return { response, lines }
}

function remarksOn({ conditions = [], absent = [], notice, standstill, provider, model }: SearchResponse): string[] {
  const unread = conditions.filter(({ isUnread }) => isUnread).map(({ text }) => text)
  const isWithoutMeaning =
    notice?.code === 'provider_failed' || notice?.code === 'provider_late' || notice?.code === 'query_private'
  const elsewhere = conditions.find(({ nearest }) => nearest !== undefined)
  return [
    ...(elsewhere ? [`No note is of ${elsewhere.text}; these are of ${elsewhere.nearest}, the nearest day.`] : []),
    ...(absent.length > 0 ? [`No note has: ${absent.join(', ')}.`] : []),
    ...(unread.length > 0 ? [`Not understood, searched as words: ${unread.join(', ')}`] : []),
    ...(isWithoutMeaning ? [`Only words were searched, not meaning: ${notice.message}.`] : []),
    ...(standstill === undefined ? [] : [`Recent changes are not searched: ${standstill}.`]),
    `Embeddings: ${provider} ${model}`.trim(),
  ]
}

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
