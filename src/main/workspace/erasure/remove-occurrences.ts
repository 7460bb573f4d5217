import { readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, posix } from 'node:path'
import type { ForgetKind } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { forgetPartNames, gunzipAsync, gzipAsync, writeDurably } from '#platform'
import { fileStamp } from '../files/text-files.ts'
import { isGzip, mapStrings } from './decode-file.ts'
import type { ErasePattern } from './erase-pattern.ts'
import type { StoredFile } from './erasure-stores.ts'

/** Limit if another program keeps writing the file. */
const maxAttempts = 20

/**
 * Removes matches from a file. Keeps changes that other programs make meanwhile.
 * @returns true if the file changed
 * @throws AppError `file_changed`
 */
export async function removeOccurrences(storedFile: StoredFile, pattern: ErasePattern): Promise<boolean> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const isChanged = await removeOnce(storedFile, pattern)
    if (isChanged !== undefined) return isChanged
  }
  throw new AppError('file_changed', `another program keeps changing ${storedFile.path}`, {
    path: storedFile.path,
  })
}

/** Returns true if the file changed; undefined if another program has written it meanwhile. */
async function removeOnce({ kind, path, file }: StoredFile, pattern: ErasePattern): Promise<boolean | undefined> {
  if (hasMatchingPath({ kind, path }, pattern)) {
    await rm(file, { force: true })
    await removeMatchingFolders(file, path, pattern)
    return true
  }
  const stampBefore = await fileStamp(file)
  const bytes = await readFile(file)
  const isZipped = isGzip(bytes)
  const content = isZipped ? await gunzipAsync(bytes) : bytes
  const text = content.toString('utf8')
  // Rewriting a file that is not UTF-8 would damage it. It is reported as remaining.
  if (!Buffer.from(text, 'utf8').equals(content)) return false
  const rewritten = rewriteContent(kind, path, text, pattern)
  if (rewritten === text) return false
  const encoded = rewritten !== undefined && isZipped ? await gzipAsync(rewritten) : rewritten
  if (kind === 'request') await forgetPartNames(dirname(file))
  if ((await fileStamp(file)) !== stampBefore) return undefined
  if (encoded === undefined || rewritten === undefined) await rm(file, { force: true })
  // The log file is open for appending, so it must not be replaced by a new file.
  else if (kind === 'log') await writeFile(file, rewritten)
  else await writeDurably(file, encoded)
  return true
}

/** Returns true for a note whose path matches, so that it is deleted. The app chooses the names of other files. */
export function hasMatchingPath({ kind, path }: Pick<StoredFile, 'kind' | 'path'>, pattern: ErasePattern): boolean {
  return (kind === 'note' || kind === 'trash') && pattern.matches(path)
}

async function removeMatchingFolders(file: string, path: string, pattern: ErasePattern): Promise<void> {
  let [folder, shownPath] = [dirname(file), posix.dirname(path)]
  while (shownPath !== '.' && pattern.matches(shownPath)) {
    const isRemoved = await rmdir(folder).then(
      () => true,
      () => false,
    )
    if (!isRemoved) return
    ;[folder, shownPath] = [dirname(folder), posix.dirname(shownPath)]
  }
}

/** Returns the new text; undefined deletes the file. */
function rewriteContent(kind: ForgetKind, path: string, text: string, pattern: ErasePattern): string | undefined {
  if (path.endsWith('inbox.json')) return removeMatchingItems(text, 'proposals', pattern)
  if (path.endsWith('.jsonl')) return rewriteJsonLines(kind, text, pattern)
  if (/\.json(?:\.gz)?$/.test(path)) {
    const value = parseJson(text)
    // Incomplete JSON cannot be edited.
    if (value === undefined) return pattern.matches(text) ? undefined : text
    const rewritten = mapStrings(value, createTextRewriter(kind, pattern))
    return JSON.stringify(rewritten) === JSON.stringify(value) ? text : JSON.stringify(rewritten)
  }
  return pattern.removeLines(text)
}

/** Removes matching lines from drafts and proposals, as from notes. Masks them in other files. */
function createTextRewriter(kind: ForgetKind, pattern: ErasePattern): (text: string) => string {
  const canRemoveLines = kind === 'proposal' || kind === 'draft'
  return (text) => (canRemoveLines ? pattern.removeLines(text) : pattern.maskLines(text))
}

function rewriteJsonLines(kind: ForgetKind, text: string, pattern: ErasePattern): string {
  const rewriteText = createTextRewriter(kind, pattern)
  return text
    .split('\n')
    .flatMap((line) => {
      const value = parseJson(line)
      if (value === undefined) return pattern.matches(line) ? [] : [line]
      const rewritten = JSON.stringify(mapStrings(value, rewriteText))
      if (rewritten === JSON.stringify(value)) return [line]
      // Saved queries and model verdicts are useless without their text.
      return kind === 'check' || kind === 'proposal' ? [] : [rewritten]
    })
    .join('\n')
}

function removeMatchingItems(text: string, field: string, pattern: ErasePattern): string | undefined {
  const value = parseJson(text)
  if (!isRecord(value) || !Array.isArray(value[field])) return pattern.matches(text) ? undefined : text
  const items: unknown[] = value[field]
  const remainingItems = items.filter(
    (item) => JSON.stringify(mapStrings(item, (itemText) => pattern.maskLines(itemText))) === JSON.stringify(item),
  )
  return remainingItems.length === items.length ? text : JSON.stringify({ ...value, [field]: remainingItems })
}
