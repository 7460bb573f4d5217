import { AppError } from '#shared/util/errors.ts'
import { parseLargeChange } from '#shared/util/large-change.ts'
import { blobId, type Differ } from '#platform'

export interface RevertSources {
  readonly differ: Differ
  /** Returns undefined while the history is off. `text` returns undefined if there is none with this Git blob id. */
  readonly history: () => { text(id: string): Promise<string | undefined> } | undefined
}

/**
 * Returns a function that reverts a change in the current text of a file.
 * @param patch unified diff, or a large change by blob ids
 * @throws AppError `history_off` if only the history has the texts; `undo_conflict`, also from the returned function
 */
export async function createReverter(sources: RevertSources, path: string, patch: string, signal?: AbortSignal) {
  const { differ } = sources
  const conflict = () =>
    new AppError('undo_conflict', `${path} has changed since; the change cannot be undone automatically`, { path })
  const largeChange = parseLargeChange(patch)
  const [before, after] = largeChange
    ? await Promise.all([readRecordedText(sources, largeChange.before), readRecordedText(sources, largeChange.after)])
    : []
  if (largeChange && (before === undefined || after === undefined)) throw conflict()
  return async (current: string): Promise<string> => {
    if (current === after && before !== undefined) return before
    const restored =
      before === undefined || after === undefined
        ? await differ.revertPatch(current, patch, signal)
        : await differ.merge({ base: after, mine: current, theirs: before, keepsBoth: false }, signal)
    if (restored === undefined) throw conflict()
    return restored
  }
}

/** Returns a recorded text; undefined if it is missing. The history does not store the empty text. */
async function readRecordedText({ history }: RevertSources, id: string): Promise<string | undefined> {
  if (id === blobId('')) return ''
  const recordedTexts = history()
  if (!recordedTexts) throw new AppError('history_off', 'the history is turned off (history.enabled)', {})
  return recordedTexts.text(id)
}
