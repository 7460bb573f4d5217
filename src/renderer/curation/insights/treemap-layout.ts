/**
 * What the map has a field for: files, and folders for those that would be too small to be told apart. The largest folders
 * are opened first, for as long as there is room for what lies in them. Pure.
 */
import type { SurveyedFile, Unsearched } from '#shared/contract/index.ts'

export interface Field {
  /** A file's, or a folder's with a slash at its end. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'rest'
  /** Files in it. */
  readonly count: number
  readonly size: number
  readonly recalls: number
  readonly unsearched: Unsearched | undefined
}

interface Branch {
  /** With a slash at its end; empty for the top. */
  readonly path: string
  readonly folders: Map<string, Branch>
  readonly files: SurveyedFile[]
  size: number
  count: number
  recalls: number
  isUnsearched: boolean
}

/** Fields that a map has at most: nobody could tell more apart. */
const maxFields = 300
/** Of the files right in one folder, those with a field of their own; the others share one. */
const maxOfFolder = 60

const branch = (path: string): Branch => ({
  path,
  folders: new Map(),
  files: [],
  size: 0,
  count: 0,
  recalls: 0,
  isUnsearched: true,
})

/** A file smaller than this has the field of one that is so large, bytes. */
const leastSize = 256

/**
 * The room that a field takes, in proportion to others. It grows with the root of the size: one file that is a thousand
 * times larger than the others would leave them nothing to be seen by.
 */
export function areaOf(size: number): number {
  return Math.sqrt(Math.max(leastSize, size))
}

/** @param within a folder with a slash at its end; empty for all of it */
export function fieldsOf(files: readonly SurveyedFile[], within: string): Field[] {
  const root = branch(within)
  for (const file of files) if (file.path.startsWith(within)) put(root, file)
  let fields: (Field | Branch)[] = [root]
  for (;;) {
    const closed = fields.filter((one): one is Branch => 'folders' in one).sort((one, other) => other.size - one.size)
    const next = closed.find((one) => one === root || fields.length - 1 + inside(one).length <= maxFields)
    if (!next) break
    fields = fields.flatMap((one) => (one === next ? inside(next) : [one]))
  }
  return fields.map((one) => ('folders' in one ? folderField(one) : one))
}

function put(root: Branch, file: SurveyedFile): void {
  let at = root
  const steps = file.path.slice(root.path.length).split('/').slice(0, -1)
  add(at, file)
  for (const step of steps) {
    const below = at.folders.get(step) ?? branch(`${at.path}${step}/`)
    at.folders.set(step, below)
    at = below
    add(at, file)
  }
  at.files.push(file)
}

function add(to: Branch, { size, recalls, unsearched }: SurveyedFile): void {
  to.size += size
  to.count += 1
  to.recalls += recalls
  to.isUnsearched &&= unsearched !== undefined
}

function inside({ path, folders, files }: Branch): (Field | Branch)[] {
  const bySize = files.toSorted((one, other) => other.size - one.size)
  const alone = bySize.length > maxOfFolder + 1 ? bySize.slice(0, maxOfFolder) : bySize
  const others = bySize.slice(alone.length)
  const rest = branch(path)
  for (const file of others) add(rest, file)
  return [
    ...folders.values(),
    ...alone.map(({ path, size, recalls, unsearched }): Field => ({
      path,
      kind: 'file',
      count: 1,
      size,
      recalls,
      unsearched,
    })),
    ...(others.length > 0 ? [{ ...folderField(rest), kind: 'rest' as const }] : []),
  ]
}

function folderField({ path, count, size, recalls, isUnsearched }: Branch): Field {
  return { path, kind: 'folder', count, size, recalls, unsearched: isUnsearched ? { reason: 'scope' } : undefined }
}
