import { z } from 'zod'
import type { LeftFile } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import { parseJson } from '#shared/util/json.ts'

const renameSchema = z.object({ from: z.string(), to: z.string() })

const detailSchema = z.object({
  /** Set for a moved note or folder, whose links are updated too. */
  move: renameSchema.extend({ isFolder: z.boolean() }).optional(),
  tag: renameSchema.optional(),
  /** Set for a text replacement; `count` is the number of matches. */
  replacement: z.object({ text: z.string(), replacement: z.string(), count: z.number().int() }).optional(),
  /** Folders that the batch created, innermost first. */
  made: z.array(z.string()).catch([]),
})
/** Fields of a batch in the change log, besides its files. */
export type BatchDetail = Readonly<z.infer<typeof detailSchema>>
export type Batch = Pick<BatchDetail, 'tag' | 'replacement'> & { readonly move?: Move | undefined }

/** Returns an empty detail for a change without a batch. */
export function batchDetailOf(detail: string | null): BatchDetail {
  return detailSchema.catch({ made: [] }).parse(parseJson(detail ?? '{}'))
}

/** Returns undefined for a change that is not a batch, such as an accepted proposal. */
export function describeBatch({ move, tag, replacement }: Batch) {
  const described = (kind: keyof Batch, from: string, to: string) => ({ kind, from, to })
  if (move) return described('move', move.from, move.to)
  if (replacement) return described('replacement', replacement.text, replacement.replacement)
  return tag && described('tag', tag.from, tag.to)
}

/** Returns the batch that undoes a replacement or a renamed tag, without a move. */
export function reversedBatch({ tag, replacement }: Batch): Batch {
  return {
    tag: tag && { from: tag.to, to: tag.from },
    replacement: replacement && { ...replacement, text: replacement.replacement, replacement: replacement.text },
  }
}

/** Maps an expected error to the reason why a file was skipped. @throws any other error */
export function toLeftFile(path: string, error: unknown): LeftFile {
  if (!(error instanceof AppError)) throw error
  const { line } = error.data
  const reason = ['file_changed', 'file_not_found', 'undo_conflict'].includes(error.code) ? 'changed' : 'refused'
  return { path, reason, ...(typeof line === 'number' && { line }) }
}
