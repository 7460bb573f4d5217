/** A line as it reads without the mark of its list. Pure. */
export function withoutMark(line: string): string {
  return line.replace(/^(?:[-*+]|\d{1,9}[.)])\s+/, '')
}
