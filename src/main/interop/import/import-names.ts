import { isHidden, isPortable, toFileName, isMarkdown } from '#workspace'

/** File systems allow 255 bytes; the difference is for the number of `withNumber`. */
const maxNameBytes = 240

/** Workspace-relative and portable. @param into folder; empty for the workspace */
export function targetPathOf(into: string, path: string): string {
  const folder = into.trim().replace(/^\/+|\/+$/g, '')
  const folderNames = path.split('/')
  const fileName = folderNames.pop() ?? ''
  const converted = [
    ...folderNames.map((name) => (isValidName(name) ? name : toFileName(name, 'Folder'))),
    toValidFileName(fileName),
  ].join('/')
  return folder === '' ? converted : `${folder}/${converted}`
}

/** Adds a number before the extension of a path; number 1 keeps the path unchanged. */
export function withNumber(path: string, number: number): string {
  if (number === 1) return path
  const [, stem = path, extension = ''] = /^(.*?)(\.[^./]+)$/.exec(path) ?? []
  return `${stem} ${number}${extension}`
}

/** Returns the path for 1, `CLAUDE (imported).md` for 2, `CLAUDE (imported) 2.md` for 3. */
export function withImportedName(path: string, number: number): string {
  return number === 1 ? path : withNumber(path.replace(/\.[^./]+$/, ' (imported)$&'), number - 1)
}

function toValidFileName(name: string): string {
  if (isValidName(name)) return name
  const [, stem = name, extension = ''] = /^(.*?)(\.[^.]+)$/.exec(name) ?? []
  return `${toFileName(stem, isMarkdown(name) ? 'Note' : 'File')}${extension}`
}

function isValidName(name: string): boolean {
  return isPortable(name) && !isHidden(name) && Buffer.byteLength(name) <= maxNameBytes
}
