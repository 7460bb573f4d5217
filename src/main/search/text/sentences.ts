import { cjkRun } from './terms.ts'

const abbreviation =
  /(?<!(?:\b|_)(?:[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|[Ss]t|[Nn]o|[Nn]r|[Vv]s|[Ee]tc|e\.g|i\.e|z\.B|[Aa]pprox|[Ii]nc|[Ll]td|[JjSs]r|(?!I)\p{Lu})|^\s*(?:[-*+]\s+)?\d{1,3})\./u
/** A lower-case letter after a closing quotation mark continues the sentence: `"Where?" she asked`. */
const latinEnd = `(?:[!?…]|${abbreviation.source})[.!?…]{0,9}[)\\]*_]{0,9}(?:\\s+|$|(?=${cjkRun.source})|["'”’»][)\\]*_]{0,9}(?:\\s+(?!\\p{Ll})|$))`
const sentenceEnd = new RegExp(`${latinEnd}|[。！？]+[」』”’）]*\\s*`, 'gu')

/** Splits one line into sentences with the white space that follows each. */
export function sentencesOf(line: string): string[] {
  const sentences: string[] = []
  let from = 0
  for (const match of line.matchAll(sentenceEnd)) {
    const to = match.index + match[0].length
    sentences.push(line.slice(from, to))
    from = to
  }
  if (from < line.length) sentences.push(line.slice(from))
  return sentences
}
