export interface LineEdit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Computes the edit of a line. Returns undefined if the line is no longer the one that was clicked. */
export type LineChange = (line: string) => LineEdit | undefined

const box = /^((?:[\t ]*>)*[\t ]*(?:(?:[-*+]|\d{1,9}[.)])[\t ]+)+\[)([^[\]\n])\](?=[\t ]|$)/u

/**
 * Returns an edit that toggles a task by replacing the character between the brackets: done (`x`) and
 * cancelled (`-`) tasks become open, all others done.
 * @param was the character shown; the edit does nothing if the line has another one
 */
export function toggleTask(was: string): LineChange {
  return (line) => {
    const [, before, state] = box.exec(line) ?? []
    if (before === undefined || state === undefined || state.toLowerCase() !== was.toLowerCase()) return undefined
    return { from: before.length, to: before.length + state.length, text: /^[xX-]$/.test(was) ? ' ' : 'x' }
  }
}
