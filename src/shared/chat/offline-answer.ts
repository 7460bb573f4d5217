/** Matches quotes, list items, locations and date headings. Every other line is a sentence of the offline model. */
const quotedLine = /^(?:[>-] |\[|\*\*)/

/** Returns the lines that quote the memory; empty if there are none. */
export function quotedMemoryLines(answer: string): string {
  return answer
    .split('\n')
    .filter((line) => quotedLine.test(line))
    .join('\n')
}
