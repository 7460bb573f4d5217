/**
 * Upper bound for the tokens of a text, for answers that must fit any model. The context budget uses an estimate
 * instead. In tests with prose, code, many scripts and noise, the tokenizers o200k and cl100k never exceeded the bound.
 */

/** A word in usual spelling. Strings that are longer than `maxWordLength` or without vowels need more tokens. */
const plainWord = /^(?:[A-Z]?[a-z]+|[A-Z]{1,4})$/
const fourConsonants = /[^aeiouy]{4}/i
const maxWordLength = 12

const piecePattern = /[A-Za-z]+|[0-9]+|\s+|[\u0021-\u007e]|[\u0080-\u{10ffff}]/gu

/** Returns an upper bound for the tokens of a text. */
export function maxTokensOf(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(piecePattern)) {
    const codePoint = piece.codePointAt(0) ?? 0
    if (codePoint > 0x7f) tokens += tokensOfCharacter(codePoint)
    else if (codePoint <= 0x20) tokens += piece === ' ' ? 0 : Math.ceil(piece.length / (/^ +$/.test(piece) ? 4 : 1))
    else if (codePoint >= 0x30 && codePoint <= 0x39) tokens += Math.ceil(piece.length / 2)
    else if (/[A-Za-z]/.test(piece)) tokens += tokensOfWord(piece)
    else tokens += 1
  }
  return Math.ceil(tokens)
}

function tokensOfWord(word: string): number {
  if (!plainWord.test(word) || word.length > maxWordLength) return Math.ceil(word.length / 1.5)
  return fourConsonants.test(word) ? word.length : Math.ceil(word.length / 5)
}

/** Common scripts need about one token per character; in rare ones every byte can be a token. */
function tokensOfCharacter(code: number): number {
  if (code < 0xa0) return 2
  if (code < 0x700) return 1
  if (code < 0x900 || (code >= 0x200b && code < 0x2010)) return 3
  if (code < 0xe80 || (code >= 0x2000 && code < 0xd800) || (code >= 0xfe00 && code < 0x1_0000)) return 1.5
  return code < 0x1_0000 ? 3 : 4
}
