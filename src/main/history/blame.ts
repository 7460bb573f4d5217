/** Which change wrote each line of a text, from its versions. Pure. */
import { diffArrays } from 'diff'

export interface Version<Id> {
  readonly id: Id
  readonly text: string
}

/** @param versions oldest first @returns for each line of the last one the id of the version that brought it */
export function blame<Id>(versions: readonly Version<Id>[]): Id[] {
  let lines: string[] = []
  let owners: Id[] = []
  for (const { id, text } of versions) {
    const next = linesOf(text)
    const nextOwners: Id[] = []
    let at = 0
    for (const part of diffArrays(lines, next)) {
      if (part.removed) at += part.count
      else if (part.added) nextOwners.push(...Array.from({ length: part.count }, () => id))
      else {
        nextOwners.push(...owners.slice(at, at + part.count))
        at += part.count
      }
    }
    lines = next
    owners = nextOwners
  }
  return owners
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}
