import type { WriteOrigin } from '../files/workspace-writer.ts'
import type { FileTransition } from './repository.ts'

export interface RecordedChange extends FileTransition {
  readonly id: string
  readonly origin: WriteOrigin
  readonly at: number
}

/** Merges the changes of a group into one transition for each file, from its first to its last state. */
export function coalesceChanges(group: readonly RecordedChange[]): FileTransition[] {
  const transitions = new Map<string, FileTransition>()
  for (const { path, from, before, after } of group) {
    const earlier = transitions.get(from ?? path)
    transitions.delete(from ?? path)
    const originalPath = earlier?.from ?? from
    transitions.set(path, {
      path,
      ...(originalPath === undefined ? {} : { from: originalPath }),
      before: earlier?.before ?? before,
      after,
    })
  }
  return [...transitions.values()]
}

export function isSameOrigin(a: WriteOrigin, b: WriteOrigin): boolean {
  return (
    a.cause === b.cause &&
    a.session === b.session &&
    a.turn === b.turn &&
    a.client === b.client &&
    a.sources?.join('\n') === b.sources?.join('\n') &&
    a.isUndo === b.isUndo
  )
}
