/**
 * What a change of several files is about, on disk for as long as it is under way: whoever starts after a crash carries
 * on from there. Each text is kept as the one stretch in which it differs, by which either of the two is made from the
 * other.
 */
import { unlink } from 'node:fs/promises'
import { z } from 'zod'
import { causeSchema } from '#shared/contract/history.ts'
import { isSystemError } from '#shared/util/errors.ts'
import { readIfThere, writePrivately } from '#platform'
import { hashText } from '../files/text-files.ts'

const textSchema = z.object({
  path: z.string(),
  newPath: z.string(),
  /** Of the whole texts. */
  before: z.string(),
  after: z.string(),
  /** Where they differ, and what stands there. */
  at: z.number().int().min(0),
  cut: z.string(),
  put: z.string(),
})
export type PendingText = z.infer<typeof textSchema>

/** What was asked for, where that is neither a move nor another name for a tag. */
const replacementSchema = z.object({ text: z.string(), replacement: z.string(), count: z.number().int() })
export type PendingReplacement = z.infer<typeof replacementSchema>

/** The tag that gets another name. */
const tagSchema = z.object({ from: z.string(), to: z.string() })

const changeSchema = z.object({
  format: z.literal(1),
  replacement: replacementSchema.optional(),
  tag: tagSchema.optional(),
  /** Folders that are made for it, the innermost first. */
  made: z.array(z.string()).optional(),
  /** Null for texts alone. */
  move: z.object({ from: z.string(), to: z.string(), isFolder: z.boolean() }).nullable(),
  texts: z.array(textSchema),
  origin: z.object({
    cause: causeSchema,
    session: z.string().optional(),
    turn: z.string().optional(),
    client: z.string().optional(),
    sources: z.array(z.string()).readonly().optional(),
    isUndo: z.boolean().optional(),
  }),
})
export type PendingChange = z.infer<typeof changeSchema>

/** What it is called while it is told of. */
export type ChangeKind = 'move' | 'tag' | 'replacement'

export function kindOf({ move, replacement }: Pick<PendingChange, 'move' | 'replacement'>): ChangeKind {
  return move ? 'move' : replacement ? 'replacement' : 'tag'
}

export class ChangeJournal {
  readonly #file: string

  /** @param file in the state folder, never in the workspace */
  constructor(file: string) {
    this.#file = file
  }

  /** What was begun and not ended; undefined for nothing, and for what cannot be read. */
  async read(): Promise<PendingChange | undefined> {
    const text = await readIfThere(this.#file)
    if (text === undefined) return undefined
    try {
      return changeSchema.safeParse(JSON.parse(text)).data
    } catch {
      return undefined
    }
  }

  /** On the disk before the promise is kept. @throws AppError as `writePrivately` */
  async begin(change: PendingChange): Promise<void> {
    await writePrivately(this.#file, JSON.stringify(change))
  }

  async end(): Promise<void> {
    try {
      await unlink(this.#file)
    } catch (error) {
      if (!isSystemError(error, 'ENOENT')) throw error
    }
  }
}

export function pendingText(path: string, newPath: string, before: string, after: string): PendingText {
  const most = Math.min(before.length, after.length)
  let at = 0
  while (at < most && before[at] === after[at]) at += 1
  let tail = 0
  while (tail < most - at && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1
  // No surrogate pair is cut in two: JSON keeps whole characters.
  const isCut = (text: string) =>
    /[\uD800-\uDBFF]$/.test(text.slice(0, at)) || /^[\uDC00-\uDFFF]/.test(text.slice(text.length - tail))
  if (isCut(before) || isCut(after)) {
    if (at > 0) at -= 1
    if (tail > 0) tail -= 1
  }
  return {
    path,
    newPath,
    before: hashText(before),
    after: hashText(after),
    at,
    cut: before.slice(at, before.length - tail),
    put: after.slice(at, after.length - tail),
  }
}

/** The text as it was, or shall be, made of the other one. */
export function otherText(text: string, { at, cut, put }: PendingText, isAfter: boolean): string {
  const [there, instead] = isAfter ? [put, cut] : [cut, put]
  return text.slice(0, at) + instead + text.slice(at + there.length)
}
