import { readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, posix } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { AppError } from '#shared/util/errors.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { writeDurably } from '#platform'
import { mapStrings } from './decode-file.ts'
import type { ErasePattern } from './erase-pattern.ts'
import type { StoredFile } from './erasure-stores.ts'

const unzip = promisify(gunzip)
const zip = promisify(gzip)

/** Retries if another program keeps writing the file. */
const maxTries = 20

/**
 * Removes matches from a file. Keeps changes that other programs make meanwhile.
 * @returns true if the file changed
 * @throws AppError `file_changed`
 */
export async function removeOccurrences(stored: StoredFile, phrase: ErasePattern): Promise<boolean> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const isDone = await removeOnce(stored, phrase)
    if (isDone !== undefined) return isDone
  }
  throw new AppError('file_changed', `${stored.path} is changed again and again by another program`, {
    path: stored.path,
  })
}

/** Returns undefined if another program has written the file meanwhile. */
async function removeOnce({ kind, path, file }: StoredFile, phrase: ErasePattern): Promise<boolean | undefined> {
  if (hasMatchingPath({ kind, path }, phrase)) {
    await rm(file, { force: true })
    await removeFolders(file, path, phrase)
    return true
  }
  const known = await stampOf(file)
  const bytes = await readFile(file)
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  const plain = isZipped ? await unzip(bytes) : bytes
  const text = plain.toString('utf8')
  // Rewriting a file that is not UTF-8 would damage it. It is reported as remaining.
  if (!Buffer.from(text, 'utf8').equals(plain)) return false
  const rewritten = changed(kind, path, text, phrase)
  if (rewritten === text) return false
  const encoded = rewritten !== undefined && isZipped ? await zip(rewritten) : rewritten
  if ((await stampOf(file)) !== known) return undefined
  if (encoded === undefined || rewritten === undefined) await rm(file, { force: true })
  // The log file is open for appending: keep the same file.
  else if (kind === 'log') await writeFile(file, rewritten)
  else await writeDurably(file, encoded)
  return true
}

async function stampOf(file: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(file, { bigint: true })
  return `${ino} ${size} ${mtimeNs}`
}

/** Returns true for a note with a match in its path; it is deleted. Other files have names chosen by the app. */
export function hasMatchingPath({ kind, path }: Pick<StoredFile, 'kind' | 'path'>, phrase: ErasePattern): boolean {
  return (kind === 'note' || kind === 'trash') && phrase.matches(path)
}

async function removeFolders(file: string, path: string, phrase: ErasePattern): Promise<void> {
  let [folder, shownPath] = [dirname(file), posix.dirname(path)]
  while (shownPath !== '.' && phrase.matches(shownPath)) {
    const isRemoved = await rmdir(folder).then(
      () => true,
      () => false,
    )
    if (!isRemoved) return
    ;[folder, shownPath] = [dirname(folder), posix.dirname(shownPath)]
  }
}

/** Returns the new text; undefined deletes the file. */
function changed(kind: StoredFile['kind'], path: string, text: string, phrase: ErasePattern): string | undefined {
  if (path.endsWith('inbox.json')) return removeItems(text, 'proposals', phrase)
  if (path.endsWith('.jsonl')) return rewriteRows(kind, text, phrase)
  if (/\.json(?:\.gz)?$/.test(path)) {
    const value = parseJson(text)
    // Torn JSON cannot be changed in part.
    if (value === undefined) return phrase.matches(text) ? undefined : text
    const rewritten = mapStrings(value, textChange(kind, phrase))
    return JSON.stringify(rewritten) === JSON.stringify(value) ? text : JSON.stringify(rewritten)
  }
  return phrase.removeLines(text)
}

/** Removes matching lines from drafts and proposals, as from notes; masks them where the structure must stay. */
function textChange(kind: StoredFile['kind'], phrase: ErasePattern): (text: string) => string {
  return kind === 'proposal' || kind === 'draft' ? (text) => phrase.removeLines(text) : (text) => phrase.maskLines(text)
}

function rewriteRows(kind: StoredFile['kind'], text: string, phrase: ErasePattern): string {
  const change = textChange(kind, phrase)
  return text
    .split('\n')
    .flatMap((row) => {
      const value = parseJson(row)
      if (value === undefined) return phrase.matches(row) ? [] : [row]
      const rewritten = JSON.stringify(mapStrings(value, change))
      if (rewritten === JSON.stringify(value)) return [row]
      // Saved queries and model verdicts are useless without their text.
      return kind === 'check' || kind === 'proposal' ? [] : [rewritten]
    })
    .join('\n')
}

function removeItems(text: string, field: string, phrase: ErasePattern): string | undefined {
  const value = parseJson(text)
  if (!isRecord(value) || !Array.isArray(value[field])) return phrase.matches(text) ? undefined : text
  const items: unknown[] = value[field]
  const keptItems = items.filter(
    (item) => JSON.stringify(mapStrings(item, (one) => phrase.maskLines(one))) === JSON.stringify(item),
  )
  return keptItems.length === items.length ? text : JSON.stringify({ ...value, [field]: keptItems })
}
