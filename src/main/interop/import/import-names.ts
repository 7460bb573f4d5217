import { isHidden, isPortable, toFileName, isMarkdown } from '#workspace'

/** Leaves room for a number if the name is taken. */
const maxNameBytes = 240

/** Returns a portable, workspace-relative path for an imported file. @param into folder; empty for the top */
export function targetPathOf(into: string, path: string): string {
  const folder = into.trim().replace(/^\/+|\/+$/g, '')
  const steps = path.split('/')
  const file = steps.pop() ?? ''
  const converted = [
    ...steps.map((step) => (isValidName(step) ? step : toFileName(step, 'Folder'))),
    fileNameFor(file),
  ].join('/')
  return folder === '' ? converted : `${folder}/${converted}`
}

/** Adds a number to a path; number 1 keeps it unchanged. */
export function withNumber(path: string, number: number): string {
  if (number === 1) return path
  const [, stem = path, extension = ''] = /^(.*?)(\.[^./]+)$/.exec(path) ?? []
  return `${stem} ${number}${extension}`
}

function fileNameFor(name: string): string {
  if (isValidName(name)) return name
  const [, stem = name, extension = ''] = /^(.*?)(\.[^.]+)$/.exec(name) ?? []
  return `${toFileName(stem, isMarkdown(name) ? 'Note' : 'File')}${extension}`
}

function isValidName(name: string): boolean {
  return isPortable(name) && !isHidden(name) && Buffer.byteLength(name) <= maxNameBytes
}
