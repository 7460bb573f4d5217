/**
 * What a configuration may cost before it is read as YAML: some texts of a few kilobytes take minutes or gigabytes
 * (thousands of keys, nested keys, lists in lists). A real one is far below all of these.
 */
import { Lexer, Parser, type CST } from 'yaml'

/** Characters of the whole file. */
export const maxCharacters = 1_000_000
/** Words and signs of the file, as YAML tells them apart; a long configuration has two thousand. */
const maxTokens = 40_000
/** Lists and maps within each other; the deepest setting lies seven deep. */
const maxLevels = 40

/** @returns why the text is not read, or undefined when it may be */
export function excessOf(text: string): string | undefined {
  if (text.length > maxCharacters) return `is larger than ${maxCharacters} characters`
  let tokens = 0
  for (const _token of new Lexer().lex(text)) {
    tokens += 1
    if (tokens > maxTokens) return 'holds more than a configuration can'
  }
  for (const token of new Parser().parse(text)) if (levelsOf(token) > maxLevels) return tooDeep
  return undefined
}

export const tooDeep = `nests more than ${maxLevels} levels deep`

/** True for a value that nests too deeply, one that contains itself included. */
export function isTooDeep(value: unknown, levels = maxLevels): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1))
}

/** Without recursion: the text that is to be found out nests deeper than the stack. */
function levelsOf(token: CST.Token): number {
  const open: [token: CST.Token, level: number][] = [[token, 0]]
  let deepest = 0
  for (let next = open.pop(); next; next = open.pop()) {
    const [{ ...inner }, level] = next
    deepest = Math.max(deepest, level)
    if (deepest > maxLevels) return deepest
    if ('value' in inner && inner.value) open.push([inner.value, level])
    for (const item of 'items' in inner ? inner.items : []) {
      if (item.key) open.push([item.key, level + 1])
      if (item.value) open.push([item.value, level + 1])
    }
  }
  return deepest
}
