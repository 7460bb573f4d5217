/**
 * Formulas as models write them: `\(…\)`, `\[…\]`, `$$…$$`, and `$…$` where it cannot be money. All become `$$…$$`, the one
 * form that the renderer reads. Code is left as it is. Pure.
 */

const code = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`)/
/** No space inside the signs, no digit behind them: "$5 and $10" is no formula. */
const dollars = /(?<![\\$\w])\$(?![\s$])([^$\n]*?[^\s\\$])\$(?![\d$])/g

export function mayHaveMath(text: string): boolean {
  return text.includes('$') || text.includes('\\(') || text.includes('\\[')
}

export function normalizeMath(text: string): string {
  return text
    .split(code)
    .map((part, index) => (index % 2 === 1 ? part : normalizePlain(part)))
    .join('')
}

export function hasMath(normalized: string): boolean {
  return normalized.split(code).some((part, index) => index % 2 === 0 && /\$\$[\s\S]+?\$\$/.test(part))
}

function normalizePlain(text: string): string {
  return text
    .replace(/\\\(([\s\S]+?)\\\)/g, (_whole, formula: string) => `$$${formula.trim()}$$`)
    .replace(/\\\[([\s\S]+?)\\\]/g, (_whole, formula: string) => `\n$$\n${formula.trim()}\n$$\n`)
    .replace(dollars, (_whole, formula: string) => `$$${formula}$$`)
}
