const maxLineLength = 400
export const maxPassageLength = 20_000
const maxLines = 800

/** @param max UTF-16 code units */
export function clipLine(text: string, max = maxLineLength): string {
  return limitCombiningMarks(text.length <= max ? text : `${text.slice(0, avoidSurrogateSplit(text, max))}…`)
}

/** Cuts a text after 800 lines or `max` UTF-16 code units. */
export function clipPassage(text: string, max = maxPassageLength): string {
  const end = text.length <= max ? text.length : avoidSurrogateSplit(text, max)
  return text.slice(0, end).split('\n', maxLines).join('\n')
}

/** Limits combining marks to 32 per letter: browsers take seconds to render 20,000 of them. */
export function limitCombiningMarks(text: string): string {
  return text.replace(/(\p{M}{32})\p{M}+/gu, '$1…')
}

/** Splits long lines into rows that can be rendered separately. @param max UTF-16 code units per row */
export function splitLongLines(lines: readonly string[], max = 2000): string[] {
  // Does not end between the two units of a surrogate pair.
  const row = new RegExp(`[^]{1,${max}}(?<![\\uD800-\\uDBFF](?=[\\uDC00-\\uDFFF]))`, 'g')
  return lines.flatMap((line) => line.match(row) ?? [''])
}

function avoidSurrogateSplit(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end
}
