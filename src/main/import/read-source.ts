/** Reads what is to be imported: a folder of Markdown, a single file, or an export of conversations, zipped or not. */
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { unzipSync } from 'fflate'
import { AppError, isSystemError } from '../../shared/errors.ts'
import { isMarkdown, readText, walkMarkdown } from '../workspace/index.ts'
import { readConversations } from './conversations.ts'
import { parseJson } from '../../shared/json.ts'

export interface SourceFile {
  /** Relative, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface Source {
  readonly kind: 'markdown' | 'chatgpt' | 'claude'
  readonly files: readonly SourceFile[]
  /** What could not be read. */
  readonly skipped: number
}

/** @throws AppError `file_not_found`, `import_unknown` */
export async function readSource(path: string): Promise<Source> {
  const info = await stat(path).catch((error: unknown) => {
    if (isSystemError(error)) throw new AppError('file_not_found', `${path} does not exist`, { path }, { cause: error })
    throw error
  })
  const source = info.isDirectory() ? await readFolder(path) : await readSingle(path)
  if (!source || source.files.length === 0)
    throw new AppError('import_unknown', `${path} has nothing that can be imported`, { path })
  return source
}

async function readFolder(folder: string): Promise<Source | undefined> {
  const exported = await readFile(join(folder, 'conversations.json')).catch(() => undefined)
  if (exported) return readExport(exported)
  const walk = await walkMarkdown(folder)
  const files: SourceFile[] = []
  let skipped = walk.problems.length
  for (const { path } of walk.files) {
    try {
      files.push({ path, text: (await readText(join(folder, path), path)).text })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      skipped += 1
    }
  }
  return { kind: 'markdown', files, skipped }
}

async function readSingle(path: string): Promise<Source | undefined> {
  if (isMarkdown(path))
    return { kind: 'markdown', files: [{ path: basename(path), text: (await readText(path)).text }], skipped: 0 }
  const bytes = await readFile(path)
  if (!/\.zip$/i.test(path)) return readExport(bytes)
  // Names in an archive are used for nothing but to find the one file: none of them becomes a path.
  const entries = unzipped(bytes)
  const [found] = Object.values(entries)
  return found && readExport(found)
}

/** Nothing, for what is no archive. */
function unzipped(bytes: Uint8Array): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter: ({ name }) => basename(name) === 'conversations.json' })
  } catch (error) {
    if (error instanceof Error) return {}
    throw error
  }
}

function readExport(bytes: Uint8Array): Source | undefined {
  const read = readConversations(parseJson(new TextDecoder('utf-8').decode(bytes)))
  return (
    read && {
      kind: read.kind,
      files: read.documents.map(({ name, text }) => ({ path: name, text })),
      skipped: read.skipped,
    }
  )
}
