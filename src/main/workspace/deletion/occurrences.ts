import { rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { DeletionPlace } from '#shared/contract/index.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { measureDataLocations, writeDurably } from '#platform'
import { fileStamp } from '../files/text-files.ts'
import { collectStrings, decodeFile, isJson, jsonRows, mapStrings, textsIn } from './decode-file.ts'
import { findInLog } from './delete-from-log.ts'
import type { DeletionPattern } from './deletion-pattern.ts'
import { listStoredFiles, type DeletionFolders, type SearchedFile } from './stores.ts'

/** Lists the places with a match, and those that may have one because they cannot be searched. */
export async function findOccurrences(folders: DeletionFolders, pattern: DeletionPattern): Promise<DeletionPlace[]> {
  const places: DeletionPlace[] = []
  for (const storedFile of await listStoredFiles(folders)) places.push(...(await findInFile(storedFile, pattern)))
  return places
}

export async function findInFile(
  { kind, path, file }: SearchedFile,
  pattern: DeletionPattern,
): Promise<DeletionPlace[]> {
  const unknownPlace = { kind, path, count: 0, lines: [] }
  if (kind === 'history') return findInLog(file, pattern) ?? [unknownPlace]
  if (kind === 'oldHistory') {
    const [size] = await measureDataLocations([{ kind: 'history', path: file }])
    return [{ ...unknownPlace, bytes: size?.bytes }]
  }
  const decoded = await decodeFile(file)
  if (!decoded) return []
  const { text } = decoded
  if (text === undefined) return [unknownPlace]
  const matches = pattern.excerpt(textsIn(path, text), kind === 'note' || kind === 'trash' || kind === 'other')
  const isNamed = isNamedAfter(kind, path, pattern)
  if (matches.count === 0 && !isNamed) return []
  const keepsPrivate = kind === 'note' && !isNamed && pattern.addsMarkers(text)
  return [{ kind, path, ...matches, isNamed: isNamed || undefined, keepsPrivate: keepsPrivate || undefined }]
}

/** Returns true for a note whose path matches, so that it is deleted. The app chooses the names of other files. */
function isNamedAfter(kind: SearchedFile['kind'], path: string, pattern: DeletionPattern): boolean {
  return (kind === 'note' || kind === 'trash') && pattern.matches(path)
}

/** @param attempts limit if another program keeps writing the file; then the matches remain @returns true if changed */
export async function removeOccurrences(
  storedFile: SearchedFile,
  pattern: DeletionPattern,
  attempts = 20,
): Promise<boolean> {
  const { kind, path, file } = storedFile
  if (isNamedAfter(kind, path, pattern)) {
    await rm(file, { force: true })
    let folder = dirname(file)
    for (let shownPath = posix.dirname(path); pattern.matches(shownPath); shownPath = posix.dirname(shownPath)) {
      // Other files in the folder keep it.
      await rmdir(folder).catch(() => undefined)
      folder = dirname(folder)
    }
    return true
  }
  const stampBefore = await fileStamp(file)
  const { text, isZipped, isUtf8 } = (await decodeFile(file)) ?? {}
  // Rewriting a file that is not UTF-8 would damage it. It is reported as remaining.
  if (text === undefined || !isUtf8) return false
  const rewritten = rewriteText(storedFile, text, pattern)
  if (rewritten === text) return false
  const encoded = rewritten !== undefined && isZipped ? gzipSync(rewritten) : rewritten
  // The name of a part is a hash of this key and the part; later parts get another key.
  if (kind === 'request') await rm(join(dirname(file), 'key'), { force: true })
  if ((await fileStamp(file)) !== stampBefore)
    return attempts > 1 && removeOccurrences(storedFile, pattern, attempts - 1)
  if (encoded === undefined) await rm(file, { force: true })
  // The log file is open for appending, so it must not be replaced by a new file.
  else if (kind === 'log') await writeFile(file, encoded)
  else await writeDurably(file, encoded)
  return true
}

/** Returns the new text; undefined deletes the file. */
function rewriteText({ kind, path }: SearchedFile, text: string, pattern: DeletionPattern): string | undefined {
  if (!isJson(path)) return pattern.removeLines(text)
  const hasMatch = (value: unknown) => collectStrings(value).some((string) => pattern.matches(string))
  // Lines are removed from drafts and proposals, as from notes, and masked in other files.
  const removesLines = kind === 'proposal' || kind === 'draft'
  const rewrite = (string: string) => (removesLines ? pattern.removeLines(string) : pattern.maskLines(string))
  const rows = jsonRows(path, text).flatMap((json) => {
    const value = parseJson(json)
    if (!hasMatch(value ?? json)) return [json]
    // Saved queries and model verdicts are useless without their text.
    const isUseless = path.endsWith('.jsonl') && (kind === 'check' || kind === 'proposal')
    // An incomplete value cannot be edited.
    if (isUseless || value === undefined) return []
    if (!path.endsWith('inbox.json') || !isRecord(value) || !Array.isArray(value['proposals']))
      return [JSON.stringify(mapStrings(value, rewrite))]
    const suggestions = value['proposals'].filter((suggestion) => !hasMatch(suggestion))
    return [JSON.stringify({ ...value, proposals: suggestions })]
  })
  return rows.length === 0 ? undefined : rows.join('\n')
}
