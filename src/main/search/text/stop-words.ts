import { stemmer } from 'stemmer'
import { lazy } from '#shared/util/lazy.ts'
import { simplify } from '#shared/util/han.ts'
import { irregularForms } from './irregular-words.ts'
import { chineseFillerWords, chineseFunctionWords } from './words/chinese-stop-words.ts'
import { englishFillerWords, englishFunctionWords } from './words/english-stop-words.ts'
import { japaneseFillerWords, japaneseFunctionWords } from './words/japanese-stop-words.ts'
import { koreanFillerWords, koreanFunctionWords } from './words/korean-stop-words.ts'

/**
 * `function`: stop word, searched for only if the query has no other words. `filler`: common in questions on any
 * subject. `name`: capitalized within a sentence. `figure`: a number, a date or an identifier.
 */
export type WordRole = 'function' | 'filler' | 'word' | 'name' | 'figure'

const split = (...lists: readonly string[]) => lists.join(' ').split(/\s+/).filter(Boolean)
const stemmed = (list: string) =>
  lazy(() => new Set(split(list).map((word) => stemmer(irregularForms.get(word) ?? word))))

const englishFunction = stemmed(englishFunctionWords)
const englishFiller = stemmed(englishFillerWords)
/** Queries are folded to simplified Han, Japanese words included. */
const folded = (...lists: readonly string[]) => lazy(() => new Set(split(simplify(lists.join(' ')))))
const cjkFunction = folded(chineseFunctionWords, japaneseFunctionWords, koreanFunctionWords)
const cjkFiller = folded(chineseFillerWords, japaneseFillerWords, koreanFillerWords)

export function roleOfStem(stem: string): 'function' | 'filler' | 'word' {
  return englishFunction().has(stem) ? 'function' : englishFiller().has(stem) ? 'filler' : 'word'
}

/** Returns the role of a folded word. A Han word composed of function words (我的, 都不) is a function word. */
export function roleOfCjk(word: string): 'function' | 'filler' | 'word' {
  if (cjkFunction().has(word)) return 'function'
  if (cjkFiller().has(word)) return 'filler'
  return /^\p{Script=Han}{2,4}$/u.test(word) && isMadeOfFunctionWords(word) ? 'function' : 'word'
}

function isMadeOfFunctionWords(word: string): boolean {
  if (word === '') return true
  for (let length = 1; length <= word.length; length += 1) {
    if (cjkFunction().has(word.slice(0, length)) && isMadeOfFunctionWords(word.slice(length))) return true
  }
  return false
}
