import { leadOf, withoutLead } from './blocks/line-starts.ts'
import { lazy } from '../util/lazy.ts'

/** Created on first use: the first segmenter of a thread takes 10 ms. */
const wordSegmenter = lazy(() => new Intl.Segmenter(undefined, { granularity: 'word' }))
const sentenceEnds =
  /(?<!\b(?:mr|mrs|ms|dr|prof|st|no|nr|vs|etc|e\.g|i\.e|approx|inc|ltd|jr|sr))[.!?…]+(?=\s|$)|[。！？；;]+/giu
const cjkCharacter = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u
const negations =
  /^(?:no|not|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|avoid|stop|refuse|refrain|forbid|forbidden|unless|(?:do|does|did|wo|ca|is|are|should|would|could)nt|\p{L}+n't|[不别別勿没沒無无未莫甭禁]|안|못|않\p{L}*|마\p{L}*|말\p{L}*|nicht|kein\p{L}*|nie|niemals|ne|pas|jamais|nunca|non|mai|не|нет)$/u
/** After one of these characters, 别 is part of a word such as 特别 (special) and does not negate. */
const compoundPrefix = /[特分区區个個级級性]$/u
const introductoryWords = new Set(['please', 'remember', 'note', 'that'])

/** Stop words and note-taking words; a line of only these words never matches. */
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
  const typedClauses = clausesOf(typedText)
  const isTyped = (sentence: readonly string[]) => typedClauses.some((clause) => containsWords(clause, sentence))
  return (line) => {
    // Reject invisible characters: they could hide text from the user.
    if (/[\p{Cf}\p{Co}\p{Cn}]/u.test(line)) return false
    const plain = withoutMarkdown(line.replaceAll(/\s*\^\[(?:local|private)\]/giu, ''))
    const sentences = plain.split(sentenceEnds).map(wordsOf)
    if (sentences.flat().every((word) => stopWords.has(word))) return false
    return sentences.every((sentence) => sentence.length === 0 || isTyped(toFirstPerson(sentence)))
  }
}

interface Clause {
  readonly words: readonly string[]
  /** True if an introductory clause such as “Never:” negates the whole list. */
  readonly isNegated: boolean
}

function clausesOf(text: string): Clause[] {
  const clauses: Clause[] = []
  let isListNegated = false
  let followsBlankLine = false
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line.trim() === '') {
      followsBlankLine = true
      continue
    }
    // A blank line may separate the introduction from its list.
    if (followsBlankLine && !/^\s*(?:[-*+•]|\d{1,9}[.)])\s/.test(line)) isListNegated = false
    followsBlankLine = false
    const sentences = withoutMarkdown(line).split(sentenceEnds).map(wordsOf)
    clauses.push(...sentences.map((sentence) => ({ words: sentence, isNegated: isListNegated })))
    const introducesList = /[:：,，、]\s*$/u.test(line)
    if (introducesList && (sentences.at(-1) ?? []).some(isNegation)) isListNegated = true
  }
  return clauses
}

function withoutMarkdown(line: string): string {
  const text = withoutLead(line)
  const { level, isItem } = leadOf(line)
  return level > 0 || isItem ? text.replace(/^\d{1,2}:\d{2}\b/, '') : text
}

/** Splits CJK words into characters, because their segmentation depends on the context. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').replaceAll('’', "'").toLowerCase()
  return [...wordSegmenter().segment(plain)].flatMap(({ segment, isWordLike }) => {
    if (!isWordLike) return []
    return cjkCharacter.test(segment) ? [...segment] : [segment]
  })
}

/** Rewrites “the user” to the first person and drops introductory words. */
function toFirstPerson(sentence: readonly string[]): readonly string[] {
  const start = sentence.findIndex((word) => !introductoryWords.has(word))
  const words = sentence.slice(Math.max(0, start))
  const userIndex = words[0] === 'the' ? 1 : 0
  if (words[userIndex] === 'user') return ['i', ...words.slice(userIndex + 1)]
  if (words[userIndex] === "user's") return ['my', ...words.slice(userIndex + 1)]
  return words[0] === '用' && (words[1] === '户' || words[1] === '戶') ? ['我', ...words.slice(2)] : words
}

function containsWords({ words: typedWords, isNegated }: Clause, sentence: readonly string[]): boolean {
  if (isNegated) return false
  for (let start = 0; start + sentence.length <= typedWords.length; start += 1) {
    if (isNegation(typedWords[start - 1] ?? '', start - 1, typedWords)) return false
    if (!sentence.every((word, offset) => typedWords[start + offset] === word)) continue
    if (!isNegation(typedWords[start + sentence.length] ?? '', start + sentence.length, typedWords)) return true
  }
  return false
}

function isNegation(word: string, index: number, words: readonly string[]): boolean {
  if (!negations.test(word)) return false
  return !/[别別]/u.test(word) || !compoundPrefix.test(words[index - 1] ?? '')
}
