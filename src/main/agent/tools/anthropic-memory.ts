/**
 * Implements Anthropic's memory tool (`memory_20250818`). Claude models are trained on its parameters and its exact
 * answers. `/memories` maps to the workspace's memory folder. Deleted files go to the trash, and daily logs can only be
 * appended to.
 */
import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { anthropicMemoryTool } from '#llm'
import {
  dailyLogDate,
  followerOf,
  isMarkdown,
  memoryFolderPath,
  type Layout,
  normalizePath,
  type WorkspaceWrite,
  type FoundFile,
} from '#workspace'
import { visibleFiles, readVisible } from './visible-files.ts'
import type { Tool, ToolContext, ToolOutcome } from './tool.ts'
import { mustAskForRemoval, privateLinesError, proposedError } from './access-policy.ts'
import { assertMayWrite, changeOutcome, editNote } from './write-file-tool.ts'

const root = '/memories'
const snippetContext = 2

const path = z.string().describe(`A file or folder, such as ${root}/tea.md`)
const integer = z.number().int()
const inputSchema = z.discriminatedUnion('command', [
  z.object({ command: z.literal('view'), path, view_range: z.tuple([integer, integer]).optional() }),
  z.object({ command: z.literal('create'), path, file_text: z.string() }),
  z.object({
    command: z.literal('str_replace'),
    path,
    old_str: z.string().min(1),
    new_str: z.string().default(''),
  }),
  z.object({ command: z.literal('insert'), path, insert_line: integer, insert_text: z.string() }),
  z.object({ command: z.literal('delete'), path }),
  z.object({ command: z.literal('rename'), old_path: path, new_path: path }),
])
type Input = z.infer<typeof inputSchema>
type Command<Name extends Input['command']> = Extract<Input, { readonly command: Name }>

/** An error with a text that Anthropic documents; the model receives this text only. */
class DocumentedError extends Error {}

export const anthropicMemory: Tool = {
  name: 'memory',
  description: `Views, creates, edits, deletes and renames the notes below ${root}. Daily logs can only be appended to.`,
  readOnly: false,
  schema: z.toJSONSchema(inputSchema, { io: 'input' }),
  native: anthropicMemoryTool,
  async run(input, context) {
    try {
      return await runCommand(inputSchema.parse(input), context)
    } catch (error) {
      if (error instanceof DocumentedError) return { text: error.message, isError: true }
      throw error
    }
  },
}

function runCommand(input: Input, context: ToolContext): Promise<ToolOutcome> {
  switch (input.command) {
    case 'view':
      return view(input, context)
    case 'create':
      return create(input, context)
    case 'str_replace':
      return replace(input, context)
    case 'insert':
      return insert(input, context)
    case 'delete':
      return remove(input, context)
    case 'rename':
      return rename(input, context)
  }
}

async function view({ path, view_range }: Command<'view'>, context: ToolContext): Promise<ToolOutcome> {
  const { workspace, signal } = context
  const memoryFolder = memoryFolderPath(workspace.layout)
  const workspacePath = toWorkspacePath(path, workspace)
  const text = workspacePath === memoryFolder ? undefined : await readIfFile(workspacePath, context)
  if (text !== undefined) {
    const [from, to] = view_range ?? [1, -1]
    return { text: `Here's the content of ${path} with line numbers:\n${numberLines(text, from, to).join('\n')}` }
  }
  const files = await visibleFiles(await workspace.listFolder(workspacePath, signal), context)
  if (files.length === 0 && workspacePath !== memoryFolder)
    throw new DocumentedError(`The path ${path} does not exist. Please provide a valid path.`)
  const heading = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`
  return { text: [heading, ...listFiles(path.replace(/\/+$/, ''), workspacePath, files)].join('\n') }
}

async function create({ path, file_text }: Command<'create'>, context: ToolContext): Promise<ToolOutcome> {
  const write = await edit(path, context, false, (current) => {
    if (current !== undefined) throw new DocumentedError(`Error: File ${path} already exists`)
    return file_text
  })
  return changeOutcome(write, context, `File created successfully at: ${path}`)
}

async function replace({ path, old_str, new_str }: Command<'str_replace'>, context: ToolContext): Promise<ToolOutcome> {
  let line = 1
  const write = await edit(path, context, true, (current) => {
    if (current === undefined)
      throw new DocumentedError(`Error: The path ${path} does not exist. Please provide a valid path.`)
    const lines = occurrenceLines(current, old_str)
    if (lines.length === 0)
      throw new DocumentedError(
        `No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${path}.`,
      )
    if (lines.length > 1) {
      const lineNumbers = [...new Set(lines)].join(', ')
      throw new DocumentedError(
        `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${lineNumbers}. Please ensure it is unique`,
      )
    }
    line = lines[0] ?? 1
    return current.replace(old_str, () => new_str)
  })
  const lastLine = line + new_str.split('\n').length - 1
  const snippet = numberLines(
    context.accessPolicy.visibleText(write.path, write.after ?? '') ?? '',
    line - snippetContext,
    lastLine + snippetContext,
  ).join('\n')
  return changeOutcome(
    write,
    context,
    `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`,
  )
}

async function insert(
  { path, insert_line, insert_text }: Command<'insert'>,
  context: ToolContext,
): Promise<ToolOutcome> {
  const write = await edit(path, context, true, (current) => {
    if (current === undefined) throw new DocumentedError(`Error: The path ${path} does not exist`)
    const { text, lines } = insertAfterLine(current, insert_line, insert_text)
    if (text !== undefined) return text
    throw new DocumentedError(
      `Error: Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines}]`,
    )
  })
  return changeOutcome(write, context, `The file ${path} has been edited.`)
}

async function remove({ path }: Command<'delete'>, context: ToolContext): Promise<ToolOutcome> {
  const { workspace, origin } = context
  const paths = await filesAt(path, context)
  if (paths.length === 0) throw new DocumentedError(`Error: The path ${path} does not exist`)
  let lastWrite: WorkspaceWrite | undefined
  await assertMayMove(paths, context)
  const deletions = paths.map((source) => ({ source }))
  await proposeIfUntrusted(path, deletions, context)
  for (const filePath of paths) lastWrite = (await workspace.remove(filePath, origin)).write
  const text = `Successfully deleted ${path}`
  return lastWrite && paths.length === 1 ? changeOutcome(lastWrite, context, text) : { text }
}

async function rename({ old_path, new_path }: Command<'rename'>, context: ToolContext): Promise<ToolOutcome> {
  const { workspace, origin } = context
  const [from, to] = [toWorkspacePath(old_path, workspace), toWorkspacePath(new_path, workspace)]
  const paths = await filesAt(old_path, context)
  if (paths.length === 0) throw new DocumentedError(`Error: The path ${old_path} does not exist`)
  if (await workspace.exists(to)) throw new DocumentedError(`Error: The destination ${new_path} already exists`)
  const moves = paths.map((source) => ({ source, target: `${to}${source.slice(from.length)}` }))
  await assertMayMove(paths, context)
  for (const { target } of moves) await assertMovable(target, context)
  await proposeIfUntrusted(old_path, moves, context)
  for (const { source, target } of moves) await workspace.move(source, target, origin)
  return { text: `Successfully renamed ${old_path} to ${new_path}` }
}

/** @throws AppError `private_lines`, `file_not_found` */
async function assertMayMove(paths: readonly string[], context: ToolContext): Promise<void> {
  if (context.accessPolicy.seesPrivate) return
  for (const path of paths)
    if ((await readVisible(path, context)) !== (await context.workspace.read(path)).text) throw privateLinesError(path)
}

/** @param moves paths relative to the workspace; without a target, a deletion @throws AppError `write_proposed` */
async function proposeIfUntrusted(
  shownPath: string,
  moves: readonly { readonly source: string; readonly target?: string }[],
  { workspace, sources, propose }: ToolContext,
): Promise<void> {
  if (!mustAskForRemoval({ sources })) return
  for (const { source, target } of moves) {
    const { text } = await workspace.read(source)
    const [before, after] = target === undefined ? [text, ''] : [undefined, text]
    await propose({ path: target ?? source, before, after, sources, removes: source })
  }
  throw proposedError(shownPath, sources)
}

/** Maps a path below `/memories` to the workspace. @throws AppError `path_outside_workspace`, `path_invalid` */
function toWorkspacePath(path: string, { layout }: { readonly layout: Layout }): string {
  const relativePath = path === root ? '' : path.startsWith(`${root}/`) ? path.slice(root.length) : undefined
  if (relativePath === undefined)
    throw new AppError('path_outside_workspace', `${path}: paths must begin with ${root}`, { path })
  return normalizePath(`${memoryFolderPath(layout)}${relativePath}`)
}

async function readIfFile(workspacePath: string, context: ToolContext): Promise<string | undefined> {
  try {
    return await readVisible(workspacePath, context)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'file_not_found' || (error.code === 'file_not_text' && !isMarkdown(workspacePath)))
      return undefined
    throw error
  }
}

/**
 * Returns the workspace-relative paths of a file, or of a folder's files; empty if there are none. Leaves out hidden
 * files.
 * @throws AppError for protected files, DocumentedError for the memory folder itself
 */
async function filesAt(path: string, context: ToolContext): Promise<readonly string[]> {
  const { workspace, signal } = context
  const workspacePath = toWorkspacePath(path, workspace)
  if (workspacePath === memoryFolderPath(workspace.layout))
    throw new DocumentedError(`Error: ${root} itself cannot be moved or deleted`)
  const isFile = (await readIfFile(workspacePath, context)) !== undefined
  const files = isFile ? [] : await visibleFiles(await workspace.listFolder(workspacePath, signal), context)
  const paths = isFile ? [workspacePath] : files.map((file) => file.path)
  for (const filePath of paths) {
    await assertMovable(filePath, context)
    if (dailyLogDate(filePath, workspace.layout) !== undefined)
      throw new AppError('input_invalid', `${filePath} is a daily log: it can only be appended to`, { path: filePath })
  }
  return paths
}

/** @throws AppError `write_refused` for files that an agent follows, also through a symbolic link */
async function assertMovable(path: string, context: ToolContext): Promise<void> {
  const { workspace } = context
  const realPath = await workspace.realPath(path)
  await assertMayWrite(realPath, context)
  if (followerOf(realPath, workspace.layout.own) === undefined) return
  throw new AppError('write_refused', `${path} refers to ${realPath}; that file cannot be moved or deleted`, {
    path,
    allowed: '.md',
  })
}

function edit(
  path: string,
  context: ToolContext,
  needsExistingText: boolean,
  rewrite: (current: string | undefined) => string,
): Promise<WorkspaceWrite> {
  return editNote(toWorkspacePath(path, context.workspace), context, rewrite, { needsExistingText })
}

const numberWidth = 6
const shownLevels = 2

/** Returns lines `from` to `to` (1-based, inclusive; negative `to`: the last), each prefixed with its number. */
export function numberLines(text: string, from: number, to: number): string[] {
  const lines = linesOf(text)
  const first = Math.max(1, from)
  const last = to < 0 ? lines.length : to
  return lines.slice(first - 1, last).map((line, index) => `${String(first + index).padStart(numberWidth)}\t${line}`)
}

/** Returns the 1-based line in which each occurrence of `passage` begins; occurrences may overlap. */
export function occurrenceLines(text: string, passage: string): number[] {
  const lines: number[] = []
  for (let index = text.indexOf(passage); index >= 0; index = text.indexOf(passage, index + 1))
    lines.push(text.slice(0, index).split('\n').length)
  return lines
}

/**
 * Inserts text after a line.
 * @param line 1-based number of that line; 0 for the beginning
 * @returns the new text (undefined if there is no such line) and the number of lines before the change
 */
export function insertAfterLine(text: string, line: number, addition: string): { text?: string; lines: number } {
  const lines = linesOf(text)
  if (line < 0 || line > lines.length) return { lines: lines.length }
  const newLines = [...lines.slice(0, line), addition.replace(/\n$/, ''), ...lines.slice(line)]
  return { text: `${newLines.join('\n')}\n`, lines: lines.length }
}

/**
 * Lists a folder with sizes, two levels deep, in the tool's format.
 * @param shownFolder the folder as the model names it
 * @param folder its workspace-relative path
 * @param files all files below it
 */
export function listFiles(shownFolder: string, folder: string, files: readonly FoundFile[]): string[] {
  const sizes = new Map<string, number>([['', 0]])
  for (const { path, size } of files) {
    const segments = path.slice(folder.length + 1).split('/')
    const parents = segments.slice(0, -1).map((_, index) => `${segments.slice(0, index + 1).join('/')}/`)
    for (const name of ['', ...parents, segments.join('/')]) sizes.set(name, (sizes.get(name) ?? 0) + size)
  }
  const isShown = (name: string) => name.replace(/\/$/, '').split('/').length <= shownLevels
  const names = [...sizes.keys()].filter(isShown).sort()
  return names.map((name) => `${sizeOf(sizes.get(name) ?? 0)}\t${name === '' ? shownFolder : `${shownFolder}/${name}`}`)
}

function sizeOf(bytes: number): string {
  const units = ['B', 'K', 'M', 'G']
  const power = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)))
  return `${Number((bytes / 1024 ** power).toFixed(1))}${units[power]}`
}

/** Splits a text into lines. A final line break adds no empty line. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
