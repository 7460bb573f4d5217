import { agentFileNames, appFolderName } from '#shared/util/agent-files.ts'

/**
 * Extensions of files that may be written. Other files are read-only, even plain text: build tools, installers
 * and test runners act on file names that cannot all be listed (`test_notes.txt`, `requirements.txt`).
 */
export const noteExtensions = ['.md', '.markdown'] as const

const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])$/i

/** Short (8.3) names that Windows assigns (`GIT~1`). */
const windowsShortName = /^[^~.]{1,8}~\d+(\.[^.]{0,3})?$/

/** Invisible code points; some file systems drop them from names. */
const invisibleCodePoints = /\p{Default_Ignorable_Code_Point}/gu

/** Folder and stem of a Markdown file, in lower case. Only files with `noteExtensions` may be written. */
const markdownPath = /^(?:(.*)\/)?([^/]*)\.(?:md|mdown|markdown|mkdn?|mkdown|mdwn|mdtxt|mdtext|md[cx])$/
const ownStems = new Set(agentFileNames.map((name) => name.slice(0, -'.md'.length).toLowerCase()))
const instructionStem =
  /^(agents(\.\S+)?|claude(\.local)?|gemini|qwen|warp|conventions|skill|soul|copilot-instructions)$/

/**
 * Tells who follows a file as instructions or memory because of its name, in any case and with any Markdown suffix:
 * `this` agent, which looks in `ownFolder`; agents of `other` programs, which look in any folder; undefined for an
 * ordinary file.
 */
export function followerOf(path: string, ownFolder = ''): 'this' | 'other' | undefined {
  const plainPath = path.normalize('NFC').replace(invisibleCodePoints, '').toLowerCase()
  const [, folder = '', stem = ''] = markdownPath.exec(plainPath) ?? []
  if (ownStems.has(stem) && folder === ownFolder.toLowerCase()) return 'this'
  return instructionStem.test(stem) ? 'other' : undefined
}

const ordinaryName = /^[\w .-]{1,255}$/

const maxNameBytes = 255

export function isNote(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return noteExtensions.some((extension) => name.endsWith(extension))
}

export function isHidden(name: string): boolean {
  return name.replace(invisibleCodePoints, '').startsWith('.')
}

/** @param segments from the top of the workspace */
export function isHiddenPath(segments: readonly string[]): boolean {
  return segments.some((segment, index) => isHidden(segment) && !(index === 0 && segment === appFolderName))
}

/** Returns true if a file with this name can be requested and its name is unambiguous in a line of text. */
export function isUsable(name: string, platform: NodeJS.Platform = process.platform): boolean {
  if (platform !== 'win32' && ordinaryName.test(name)) return true
  if (name.replace(invisibleCodePoints, '') === '' || Buffer.byteLength(name) > maxNameBytes) return false
  if (!name.isWellFormed() || /[\p{Cc}\\\uFFFD]/u.test(name)) return false
  return platform !== 'win32' || isValidOnEverySystem(name)
}

/** Returns true for a name that every system accepts and no program parses as an option. New files must have one. */
export function isPortable(name: string): boolean {
  return isUsable(name, 'linux') && isValidOnEverySystem(name) && !/^[-~]|[\p{Bidi_Control}]/u.test(name)
}

function isValidOnEverySystem(name: string): boolean {
  const [stem = ''] = name.split('.')
  return !/[:*?"<>|]|[. ]$/.test(name) && !deviceName.test(stem.trim()) && !windowsShortName.test(name)
}

/** Longest result of `toFileName`, bytes of UTF-8. Leaves room for a number and an extension. */
const maxGeneratedBytes = 180

export function toFileName(text: string, fallback: string): string {
  const cleaned = text
    .toWellFormed()
    .replaceAll(/[\\/:*?"<>|\p{Cc}\p{Bidi_Control}\uFFFD]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/~(?=\d)/g, '-')
  let name = ''
  let bytes = 0
  for (const { segment } of new Intl.Segmenter().segment(cleaned)) {
    bytes += Buffer.byteLength(segment)
    if (bytes > maxGeneratedBytes) break
    name += segment
  }
  const trimmed = name.replace(/^[\s.~\-\p{Default_Ignorable_Code_Point}]+|[\s.]+$/gu, '')
  if (trimmed === '') return fallback
  const [stem = ''] = trimmed.split('.')
  return deviceName.test(stem.trim()) ? `${fallback} ${trimmed}` : trimmed
}
