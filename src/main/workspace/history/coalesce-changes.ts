import type { WriteOrigin as Origin } from '../files/workspace-writer.ts'
import type { FileTransition } from './repository.ts'

export interface RecordedChange extends FileTransition {
  readonly id: string
  readonly origin: Origin
  readonly at: number
}

/** Merges the changes of a group into one step for each file, from its first to its last state. */
export function coalesceChanges(group: readonly RecordedChange[]): FileTransition[] {
  const steps = new Map<string, FileTransition>()
  for (const { path, from, before, after } of group) {
    const earlier = steps.get(from ?? path)
    steps.delete(from ?? path)
    const origin = earlier?.from ?? from
    steps.set(path, {
      path,
      ...(origin === undefined ? {} : { from: origin }),
      before: earlier?.before ?? before,
      after,
    })
  }
  return [...steps.values()]
}

export function isSameOrigin(one: Origin, other: Origin): boolean {
  return (
    one.cause === other.cause &&
    one.session === other.session &&
    one.turn === other.turn &&
    one.client === other.client &&
    one.sources?.join('\n') === other.sources?.join('\n') &&
    one.isUndo === other.isUndo
  )
}
