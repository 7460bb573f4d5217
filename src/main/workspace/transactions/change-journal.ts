/**
 * Journal of a change of several files. Written before the first file changes and deleted after the last; if the app
 * crashes in between, the next start finishes the change. Stores only the part of each text that differs.
 */
import { unlink } from 'node:fs/promises'
import { z } from 'zod'
import { onSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { commonEnds, readIfExists, writeDurablyPrivate } from '#platform'
import { hashText } from '../files/text-files.ts'
import { originSchema } from '../files/workspace-writer.ts'

const textSchema = z.object({
  path: z.string(),
  newPath: z.string(),
  /** SHA-256 of the complete texts, hex; `before` is null for a file that the change creates. */
  before: z.string().nullable(),
  after: z.string(),
  /** 0-based UTF-16 offset of the part that differs; its old (`cut`) and new (`put`) text. */
  at: z.number().int().min(0),
  cut: z.string(),
  put: z.string(),
})
export type PendingText = z.infer<typeof textSchema>

const renameSchema = z.object({ from: z.string(), to: z.string() })

/** A change of many notes that is undone as one. */
export const batchSchema = z.object({
  /** Set for a moved note or folder, whose links are updated too. */
  move: renameSchema.optional(),
  tag: renameSchema.optional(),
  /** Set for a text replacement; `count` is the number of matches. */
  replacement: z.object({ text: z.string(), replacement: z.string(), count: z.number().int() }).optional(),
})
export type Batch = Readonly<z.infer<typeof batchSchema>>
export type BatchKind = keyof Batch

const changeSchema = batchSchema.extend({
  format: z.literal(1),
  /** Folders that the change creates, innermost first. */
  made: z.array(z.string()).optional(),
  move: renameSchema.extend({ isFolder: z.boolean() }).nullable(),
  texts: z.array(textSchema),
  origin: originSchema,
})
export type PendingChange = z.infer<typeof changeSchema>

/** Returns undefined for a change that is not a batch, such as an accepted proposal. */
export function batchKind({ move, tag, replacement }: Pick<PendingChange, 'tag' | 'replacement'> & { move?: unknown }) {
  if (move) return 'move'
  if (replacement) return 'replacement'
  return tag && 'tag'
}

export function batchNames({ move, tag, replacement }: Batch): { readonly from: string; readonly to: string } {
  if (replacement) return { from: replacement.text, to: replacement.replacement }
  return move ?? tag ?? { from: '', to: '' }
}

export class ChangeJournal {
  readonly #file: string

  /** @param file absolute path in the state folder, never in the workspace */
  constructor(file: string) {
    this.#file = file
  }

  /** Returns undefined if no change is pending or the journal cannot be parsed. */
  async read(): Promise<PendingChange | undefined> {
    return changeSchema.safeParse(parseJson((await readIfExists(this.#file)) ?? '')).data
  }

  /** @throws AppError as `writeDurablyPrivate` */
  async begin(change: PendingChange): Promise<void> {
    await writeDurablyPrivate(this.#file, JSON.stringify(change))
  }

  async end(): Promise<void> {
    await unlink(this.#file).catch(onSystemError(undefined, 'ENOENT'))
  }
}

/** Builds the journal entry of a text: the single part that differs. Never splits a surrogate pair. */
export function createPendingText(path: string, newPath: string, before: string | null, after: string): PendingText {
  const oldText = before ?? ''
  let { start: prefixLength, end: suffixLength } = commonEnds(oldText, after)
  // JSON cannot store a lone surrogate.
  const splitsSurrogatePair = (text: string) =>
    /[\uD800-\uDBFF]$/.test(text.slice(0, prefixLength)) ||
    /^[\uDC00-\uDFFF]/.test(text.slice(text.length - suffixLength))
  if (splitsSurrogatePair(oldText) || splitsSurrogatePair(after)) {
    if (prefixLength > 0) prefixLength -= 1
    if (suffixLength > 0) suffixLength -= 1
  }
  return {
    path,
    newPath,
    before: before === null ? null : hashText(before),
    after: hashText(after),
    at: prefixLength,
    cut: oldText.slice(prefixLength, oldText.length - suffixLength),
    put: after.slice(prefixLength, after.length - suffixLength),
  }
}

/** Returns the text after the change from the text before it; if `isForward` is false, the reverse. */
export function applyPendingText(text: string, { at, cut, put }: PendingText, isForward: boolean): string {
  const [removed, inserted] = isForward ? [cut, put] : [put, cut]
  return text.slice(0, at) + inserted + text.slice(at + removed.length)
}
