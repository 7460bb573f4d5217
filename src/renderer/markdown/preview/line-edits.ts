export interface LineEdit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Computes the edit of a line. Returns undefined if the line has changed since it was rendered. */
export type LineChange = (line: string) => LineEdit | undefined

const checkbox = /^((?:[\t ]*>)*[\t ]*(?:(?:[-*+]|\d{1,9}[.)])[\t ]+)+\[)([^[\]\n])\](?=[\t ]|$)/u

/**
 * Returns an edit that toggles a task by replacing the character between the brackets: done (`x`) and
 * cancelled (`-`) tasks become open, all others done.
 * @param shownState the character in the preview; the edit does nothing if the line has another one
 */
export function toggleTask(shownState: string): LineChange {
  return (line) => {
    const [, prefix, state] = checkbox.exec(line) ?? []
    if (prefix === undefined || state === undefined || state.toLowerCase() !== shownState.toLowerCase())
      return undefined
    return { from: prefix.length, to: prefix.length + state.length, text: /^[xX-]$/.test(shownState) ? ' ' : 'x' }
  }
}
