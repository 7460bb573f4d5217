/**
 * Reads numbers in Chinese, Japanese and Korean, with or without digits: 三千五, 320万, 八万四千, 만오천, 二〇二六. The text must be
 * folded (simplified Han).
 */

const digits: Readonly<Record<string, number>> = {
  ...byIndex('〇一二三四五六七八九'),
  ...byIndex('零壹贰叁肆伍陆柒捌玖'),
  两: 2,
  ...byIndex('영일이삼사오육칠팔구'),
}
const units: Readonly<Record<string, number>> = {
  十: 10,
  百: 100,
  千: 1000,
  拾: 10,
  佰: 100,
  仟: 1000,
  십: 10,
  백: 100,
  천: 1000,
}
const largeUnits: Readonly<Record<string, number>> = { 万: 1e4, 億: 1e8, 亿: 1e8, 萬: 1e4, 만: 1e4, 억: 1e8 }

function byIndex(letters: string): Record<string, number> {
  return Object.fromEntries([...letters].map((letter, index) => [letter, index]))
}

/** Pattern for one Han numeral, without a group, for use in larger patterns. Digits can precede 万 and 亿. */
export const hanNumeral = '[〇零一二三四五六七八九十百千万亿億两壹贰叁肆伍陆柒捌玖拾佰仟]'
export const hangulNumeral = '[영일이삼사오육칠팔구십백천만억]'

/**
 * Returns the value of a numeral such as 三千五 (3500: a last digit counts in the next lower unit), 320万, 二〇二六 or 4.5万.
 * Returns undefined if the text is not a numeral.
 */
export function parseNumeral(numeral: string): number | undefined {
  const letters = numeral.replace(/[,\s]/g, '')
  if (/^\d+(?:\.\d+)?$/.test(letters)) return Number(letters)
  if ([...letters].every((letter) => letter in digits)) {
    return Number([...letters].map((letter) => digits[letter]).join(''))
  }
  let total = 0
  let section = 0
  let pending: number | undefined
  let lastUnit = 0
  for (const [token] of letters.matchAll(/\d+(?:\.\d+)?|./gu)) {
    const unit = units[token]
    const large = largeUnits[token]
    const digit = /^\d/.test(token) ? Number(token) : digits[token]
    if (digit !== undefined) {
      if (pending !== undefined && pending !== 0) return undefined
      if (digit === 0) lastUnit = 0
      pending = digit
    } else if (unit !== undefined) {
      section += (pending ?? 1) * unit
      pending = undefined
      lastUnit = unit
    } else if (large !== undefined) {
      total = (total + (section + (pending ?? (section === 0 ? 1 : 0)))) * large
      section = 0
      pending = undefined
      lastUnit = large
    } else return undefined
  }
  // 三千五 is 3500 and 一万八 is 18,000, but 三千零五 is 3005 and 二十五 is 25.
  if (pending !== undefined) section += lastUnit > 10 && pending < 10 ? (pending * lastUnit) / 10 : pending
  const value = Math.round((total + section) * 1e6) / 1e6
  return Number.isFinite(value) ? value : undefined
}
