/** Han, kana, Hangul, bopomofo and full-width forms; the surrogate range covers planes 2 and 3. */
const cjk =
  /[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3100-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]|[\ud840-\ud8bf][\udc00-\udfff]/g

const charactersPerToken = 4

export function countCjk(text: string): number {
  return text.match(cjk)?.length ?? 0
}

/** Estimates tokens, rounded up: one for each CJK character, else one for every four characters. */
export function estimateTokens(text: string): number {
  const cjkCount = countCjk(text)
  return cjkCount + Math.ceil((text.length - cjkCount) / charactersPerToken)
}

/** Counts words: runs of letters and digits, and each CJK character as one word. */
export function countWords(text: string): number {
  return countCjk(text) + (text.replace(cjk, ' ').match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu)?.length ?? 0)
}

/** Returns runs of letters and digits, and each CJK character. */
export function plainWords(text: string): string[] {
  return text.replace(cjk, ' $& ').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}
