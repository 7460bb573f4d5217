import { ownFolderName } from '#shared/util/own-files.ts'

/**
 * What is written ends in one of these: text that nothing runs. Everything else is only read; plain text too, which
 * builders, installers and test runners obey under names that nobody can list (`test_notes.txt`, `requirements.txt`).
 */
export const noteExtensions = ['.md', '.markdown'] as const

/** What agents of other programs obey; the memory's own AGENTS.md, at its top or in the folder of its own, is ours. */
const instructions =
  /(^|\/)((claude|gemini|qwen|warp|conventions|skill|copilot-instructions)\.md|agents\..+\.md)$|\/agents\.md$/i

/** True for a note that tells other programs' agents what to do. @param own the folder of the agent's own files */
export function isInstruction(path: string, own = ''): boolean {
  return instructions.test(own !== '' && path.startsWith(`${own}/`) ? path.slice(own.length + 1) : path)
}

/** Windows has devices of these names in every folder, with any ending. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])$/i

/** The short second names that Windows gives (`GIT~1`). */
const shortName = /^[^~.]{1,8}~\d+(\.[^.]{0,3})?$/

/** Code points that are not shown; some file systems leave them out of names. */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu

/** By far the most names, which take no further look. */
const plainest = /^[\w .-]{1,255}$/

/** The longest name that file systems take, in bytes of UTF-8. */
const maxNameBytes = 255

/** True for a file that may be written: a note that other programs neither run nor obey. */
export function isNote(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return noteExtensions.some((extension) => name.endsWith(extension))
}

/** True for `.git`, `.env` and the like, also where a file system would see them in something longer. */
export function isHidden(name: string): boolean {
  return name.replace(ignorable, '').startsWith('.')
}

/** True for what lies in something hidden, by the names of its path from the top of the workspace on. */
export function isHiddenPath(steps: readonly string[]): boolean {
  return steps.some((step, at) => isHidden(step) && !(at === 0 && step === ownFolderName))
}

/** True for a name by which a file can be asked for, and be told apart from all others in a line of text. */
export function isUsable(name: string, platform: NodeJS.Platform = process.platform): boolean {
  if (platform !== 'win32' && plainest.test(name)) return true
  if (!isPlain(name) || /[\p{Cc}\\\uFFFD]/u.test(name)) return false
  return platform !== 'win32' || isTheSameEverywhere(name)
}

/** True for a name that a new file may have: one that every system takes, and no program takes for an option. */
export function isPortable(name: string): boolean {
  return isUsable(name, 'linux') && isTheSameEverywhere(name) && !/^[-~]|[\p{Bidi_Control}]/u.test(name)
}

function isPlain(name: string): boolean {
  return name.replace(ignorable, '') !== '' && name.isWellFormed() && Buffer.byteLength(name) <= maxNameBytes
}

function isTheSameEverywhere(name: string): boolean {
  const [stem = ''] = name.split('.')
  return !/[:*?"<>|]|[. ]$/.test(name) && !device.test(stem.trim()) && !shortName.test(name)
}

/** Room that is left for a number and an ending. */
const maxMadeBytes = 180

/** A portable name, without an ending, that says the same as any text; `otherwise` where nothing is left of it. */
export function nameFor(text: string, otherwise: string): string {
  const plain = text
    .toWellFormed()
    .replaceAll(/[\\/:*?"<>|\p{Cc}\p{Bidi_Control}\uFFFD]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/~(?=\d)/g, '-')
  let name = ''
  let bytes = 0
  for (const { segment } of new Intl.Segmenter().segment(plain)) {
    bytes += Buffer.byteLength(segment)
    if (bytes > maxMadeBytes) break
    name += segment
  }
  const trimmed = name.replace(/^[\s.~\-\p{Default_Ignorable_Code_Point}]+|[\s.]+$/gu, '')
  if (trimmed === '') return otherwise
  const [stem = ''] = trimmed.split('.')
  return device.test(stem.trim()) ? `${otherwise} ${trimmed}` : trimmed
}
