export interface LineEdit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** How a line becomes another; undefined where it is not (any more) what was clicked. */
export type LineChange = (line: string) => LineEdit | undefined

const box = /^((?:[\t ]*>)*[\t ]*(?:(?:[-*+]|\d{1,9}[.)])[\t ]+)+\[)([^[\]\n])\](?=[\t ]|$)/u

/**
 * Ticks a task, or takes the tick away: the one character between the brackets. What is under way, forwarded or marked
 * otherwise is done with a click; what is done or given up is open again.
 *
 * @param was the character as it was shown
 */
export function tick(was: string): LineChange {
  return (line) => {
    const [, before, state] = box.exec(line) ?? []
    if (before === undefined || state === undefined || state.toLowerCase() !== was.toLowerCase()) return undefined
    return { from: before.length, to: before.length + state.length, text: /^[xX-]$/.test(was) ? ' ' : 'x' }
  }
}
