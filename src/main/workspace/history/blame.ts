/** Which change wrote each line of a text, from its versions. Pure. */
import { compareLines } from '#platform'

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
    for (const { from, to, newFrom, newTo } of compareLines(lines, next)) {
      for (; at < from; at += 1) nextOwners.push(owners[at] ?? id)
      for (let line = newFrom; line < newTo; line += 1) nextOwners.push(id)
      at = to
    }
    for (; at < owners.length; at += 1) nextOwners.push(owners[at] ?? id)
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
