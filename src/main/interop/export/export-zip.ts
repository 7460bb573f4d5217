import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync, type Zippable } from 'fflate'
import { AppError } from '#shared/util/errors.ts'
import { attachmentType } from '#shared/util/attachments.ts'
import { decodePart } from '#shared/util/decode.ts'
import { parseLinks } from '#shared/markdown/links/parse-links.ts'
import { Resolver } from '#shared/markdown/links/resolve-link.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { findRule, type PrivateRules } from '#workspace/privacy'
import { isMarkdown, walkFiles } from '#workspace'

/** Size limit of an export, bytes: the zip is built in memory. */
const maxBytes = 512 * 1024 * 1024
const leftOutListName = 'left-out.txt'

type PackedFile = Awaited<ReturnType<typeof listFiles>>[number]

/** All paths but that of `note` are absolute. */
export interface ExportTask {
  readonly workspace: string
  readonly forbidden: readonly string[]
  /** The zip contains no settings, so the packed copy of a private note gets a mark instead. */
  readonly privateRules: PrivateRules
  /** Packs only this note (workspace-relative) and the files that it embeds. */
  readonly note?: string | undefined
  readonly suggestions?: string | undefined
  readonly repository?: string | undefined
}

/** Lists attachments beyond the limit in `left-out.txt`. @throws AppError `folder_too_large`, `file_not_found` */
export async function exportZip(task: ExportTask): Promise<Uint8Array<ArrayBuffer>> {
  const { workspace, forbidden, privateRules, note, suggestions, repository } = task
  const workspaceFiles = await listFiles(workspace, '', forbidden)
  const extraFiles: PackedFile[] = []
  for (const [folder, prefix] of [[suggestions, 'upkeep/'] as const, [repository, 'history.git/'] as const])
    if (folder !== undefined && existsSync(folder)) extraFiles.push(...(await listFiles(folder, prefix)))
  const notes = workspaceFiles.filter(({ name }) => isMarkdown(name) && (note === undefined || name === note))
  if (note !== undefined && notes.length === 0)
    throw new AppError('file_not_found', `${note} does not exist`, { path: note })
  let remainingBytes = [...notes, ...extraFiles].reduce((remaining, { size }) => remaining - size, maxBytes)
  const tooLargeError = () => {
    const megabytes = Math.round((maxBytes - remainingBytes) / 1024 / 1024)
    const message = `${workspace} has ${megabytes} MB, too much for an export`
    return new AppError('folder_too_large', message, { path: workspace, megabytes })
  }
  if (remainingBytes < 0) throw tooLargeError()
  const entries: Zippable = {}
  const pack = ({ name, modifiedAt }: PackedFile, bytes: Uint8Array, level: 0 | 6) => {
    entries[name] = [bytes, { mtime: new Date(modifiedAt), level }]
  }
  const filesByName = new Map(workspaceFiles.map((file) => [file.name, file]))
  const resolver = new Resolver(workspaceFiles.map(({ name }) => ({ path: name })))
  const attachments = new Set<PackedFile>()
  const packed = new Set(notes)
  for (const file of packed) {
    const bytes = await readFile(file.source)
    const text = bytes.toString('utf8')
    // A file that is not UTF-8 text stays unchanged.
    const needsMark = findRule(file.name, privateRules) !== undefined && isUtf8(bytes)
    pack(file, needsMark ? Buffer.from(withVisibility(text, true)) : bytes, 6)
    for (const { name, isEmbed } of linkedFilesIn(resolver, file.name, text)) {
      const linkedFile = filesByName.get(name)
      if (!linkedFile) continue
      if (attachmentType(name) !== undefined) attachments.add(linkedFile)
      else if (note !== undefined && isEmbed && isMarkdown(name) && !packed.has(linkedFile)) {
        packed.add(linkedFile)
        remainingBytes -= linkedFile.size
        if (remainingBytes < 0) throw tooLargeError()
      }
    }
  }
  for (const file of extraFiles) pack(file, await readFile(file.source), 6)
  // Adds the smallest attachments first, to fit as many as possible.
  const leftOutNames: string[] = []
  for (const file of [...attachments].toSorted((one, other) => one.size - other.size)) {
    remainingBytes -= file.size
    if (remainingBytes >= 0) pack(file, await readFile(file.source), 0)
    else leftOutNames.push(file.name)
  }
  if (leftOutNames.length > 0) entries[leftOutListName] = [Buffer.from(`${leftOutNames.toSorted().join('\n')}\n`), {}]
  return new Uint8Array(zipSync(entries))
}

const imgTagPattern = /<img\b[^>]*?\ssrc\s*=\s*["']?([^"'\s>]+)/gi

function linkedFilesIn(resolver: Resolver, from: string, text: string): { name: string; isEmbed: boolean }[] {
  const images = [...text.matchAll(imgTagPattern)].map(([, target = '']) => {
    return { kind: 'inline' as const, target: decodePart(target) ?? target, isEmbed: true }
  })
  return [...parseLinks(text).links, ...images].flatMap((link) => {
    const name = resolver.resolve(from, link)?.path
    return name === undefined || name === from ? [] : [{ name, isEmbed: link.isEmbed }]
  })
}

async function listFiles(folder: string, prefix: string, forbidden?: readonly string[]) {
  const { files } = await walkFiles(folder, undefined, forbidden)
  return files.map(({ path, size, modifiedAt }) => ({
    name: prefix + path,
    source: join(folder, path),
    size,
    modifiedAt,
  }))
}
