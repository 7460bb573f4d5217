import { AppError } from '#shared/util/errors.ts'
import { parseLargeChange } from '#shared/util/large-change.ts'
import { blobId, type Differ } from '#platform'

/** Knows texts that were recorded, by their ids. */
export interface RecordedTexts {
  text(id: string): Promise<string | undefined>
}

export interface Texts {
  readonly differ: Differ
  /** Undefined while nothing is recorded. */
  readonly history: () => RecordedTexts | undefined
}

/**
 * What makes of a text the same without the change.
 * @throws AppError `history_off` when the history alone would know what was there; `undo_conflict`, as does what is returned
 */
export async function restorer(texts: Texts, path: string, patch: string, signal: AbortSignal | undefined) {
  const { differ } = texts
  const conflict = () =>
    new AppError('undo_conflict', `${path} was changed since; the change cannot be taken back by itself`, { path })
  const large = parseLargeChange(patch)
  const [before, after] = large ? await Promise.all([textOf(texts, large.before), textOf(texts, large.after)]) : []
  if (large && (before === undefined || after === undefined)) throw conflict()
  return async (current: string): Promise<string> => {
    if (current === after && before !== undefined) return before
    const restored =
      before === undefined || after === undefined
        ? await differ.takeBack(current, patch, signal)
        : await differ.merge({ base: after, mine: current, theirs: before, keepsBoth: false }, signal)
    if (restored === undefined) throw conflict()
    return restored
  }
}

/** The history does not record that there was nothing. */
async function textOf({ history }: Texts, id: string): Promise<string | undefined> {
  if (id === blobId('')) return ''
  const recorded = history()
  if (!recorded) throw new AppError('history_off', 'the history is turned off (history.enabled)', {})
  return recorded.text(id)
}
