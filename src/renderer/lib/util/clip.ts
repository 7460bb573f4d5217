/** Of a single line: a title, a name, a path, a line of a result. */
const maxOfLine = 400
/** Of a passage: about ten screens. */
export const maxOfPassage = 20_000
const maxLines = 800

/** The beginning of a single line, with an ellipsis where something is left out. @param max characters */
export function clipLine(text: string, max = maxOfLine): string {
  return withoutPiles(text.length <= max ? text : `${text.slice(0, wholeEnd(text, max))}…`)
}

/** The beginning of a text of many lines; the text itself when all of it can be shown. */
export function clipPassage(text: string, max = maxOfPassage): string {
  let end = text.length <= max ? text.length : wholeEnd(text, max)
  let at = -1
  for (let line = 0; line < maxLines; line += 1) {
    at = text.indexOf('\n', at + 1)
    if (at < 0 || at >= end) return text.slice(0, end)
  }
  end = at
  return text.slice(0, end)
}

/** At most 32 marks on one letter: a browser places each by all those before it, and 20,000 of them take seconds. */
export function withoutPiles(text: string): string {
  return text.replace(/(\p{M}{32})\p{M}+/gu, '$1…')
}

/** Lines cut into rows that can be drawn each for itself. @param max characters of a row */
export function rowsOf(lines: readonly string[], max = 2000): string[] {
  if (lines.every((line) => line.length <= max)) return [...lines]
  const rows: string[] = []
  for (const line of lines) {
    let from = 0
    while (line.length - from > max) {
      const end = wholeEnd(line, from + max)
      rows.push(line.slice(from, end))
      from = end
    }
    rows.push(line.slice(from))
  }
  return rows
}

/** Not between the halves of one character. */
function wholeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end
}
