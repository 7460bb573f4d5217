import { leadOf, withoutLead } from './blocks/line-starts.ts'
import { segmenter } from '../util/segmenter.ts'

const words = segmenter(undefined, 'word')
/** Sentence ends, except after common abbreviations. */
const sentenceEnds =
  /(?<!\b(?:mr|mrs|ms|dr|prof|st|no|nr|vs|etc|e\.g|i\.e|approx|inc|ltd|jr|sr))[.!?…]+(?=\s|$)|[。！？；;]+/giu
const scripts = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u
const negations =
  /^(?:no|not|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|avoid|stop|refuse|refrain|forbid|forbidden|unless|(?:do|does|did|wo|ca|is|are|should|would|could)nt|\p{L}+n't|[不别別勿没沒無无未莫甭禁]|안|못|않\p{L}*|마\p{L}*|말\p{L}*|nicht|kein\p{L}*|nie|niemals|ne|pas|jamais|nunca|non|mai|не|нет)$/u
/** After these characters 别 is part of a word such as 特别 (special) and does not negate. */
const otherThanNot = /[特分区區个個级級性]$/u
const fillers = new Set(['please', 'remember', 'note', 'that'])

/** Stop words and note-taking words; a line of only these never matches. */
const stopWords = new Set(
  'a an and are as at be by for from has have i in is it its me my of on or our that the their this to was we were will with you your remember note 的 了 是 我 在 和 有 请 记 住'.split(
    ' ',
  ),
)

/**
 * Returns a predicate that is true for a line whose sentences the user typed verbatim, ignoring case, punctuation and
 * Markdown. A negated clause does not match its positive form.
 * @param typedText text that the user typed
 */
export function createUserTextMatcher(typedText: string): (line: string) => boolean {
  const typed = clausesOf(typedText)
  const isTyped = (said: readonly string[]) => typed.some((clause) => containsWords(clause, said))
  return (line) => {
    // Reject invisible characters: they could hide text from the user.
    if (/[\p{Cf}\p{Co}\p{Cn}]/u.test(line)) return false
    const plain = withoutMarkdown(line.replaceAll(/\s*\^\[local\]/giu, ''))
    const sentences = sentencesOf(plain).map(wordsOf)
    const telling = sentences.flat().filter((word) => !stopWords.has(word))
    return telling.length > 0 && sentences.every((said) => said.length === 0 || isTyped(toFirstPerson(said)))
  }
}

interface Clause {
  readonly words: readonly string[]
  /** True if an introductory clause such as “Never:” negates the whole list. */
  readonly isNegated: boolean
}

/** Splits a text into clauses. A clause that ends with a colon and contains a negation negates the list after it. */
function clausesOf(text: string): Clause[] {
  const clauses: Clause[] = []
  let isNegated = false
  let isBlank = false
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line.trim() === '') {
      isBlank = true
      continue
    }
    // A blank line may separate the introduction from its list.
    if (isBlank && !/^\s*(?:[-*+•]|\d{1,9}[.)])\s/.test(line)) isNegated = false
    isBlank = false
    const sentences = sentencesOf(withoutMarkdown(line)).map(wordsOf)
    clauses.push(...sentences.map((said) => ({ words: said, isNegated })))
    const isOpen = /[:：,，、]\s*$/u.test(line)
    if (isOpen && (sentences.at(-1) ?? []).some(isNegation)) isNegated = true
  }
  return clauses
}

function withoutMarkdown(line: string): string {
  const said = withoutLead(line)
  return leadOf(line).level > 0 ? said.replace(/^\d{1,2}:\d{2}\b/, '') : said
}

function sentencesOf(text: string): string[] {
  return text.split(sentenceEnds)
}

/** CJK words become single characters: their segmentation depends on the context. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').replaceAll('’', "'").toLowerCase()
  return [...words.segment(plain)].flatMap(({ segment, isWordLike }) => {
    if (!isWordLike) return []
    return scripts.test(segment) ? [...segment] : [segment]
  })
}

/** Rewrites “the user” to the first person and drops introductory words. */
function toFirstPerson(said: readonly string[]): readonly string[] {
  const from = said.findIndex((word) => !fillers.has(word))
  const rest = said.slice(Math.max(0, from))
  const after = rest[0] === 'the' ? 1 : 0
  if (rest[after] === 'user') return ['i', ...rest.slice(after + 1)]
  if (rest[after] === "user's") return ['my', ...rest.slice(after + 1)]
  return rest[0] === '用' && (rest[1] === '户' || rest[1] === '戶') ? ['我', ...rest.slice(2)] : rest
}

function containsWords({ words: typed, isNegated }: Clause, said: readonly string[]): boolean {
  if (isNegated) return false
  for (let from = 0; from + said.length <= typed.length; from += 1) {
    if (isNegation(typed[from - 1] ?? '', from - 1, typed)) return false
    if (!said.every((word, at) => typed[from + at] === word)) continue
    if (!isNegation(typed[from + said.length] ?? '', from + said.length, typed)) return true
  }
  return false
}

function isNegation(word: string, at: number, all: readonly string[]): boolean {
  if (!negations.test(word)) return false
  return !/[别別]/u.test(word) || !otherThanNot.test(all[at - 1] ?? '')
}
