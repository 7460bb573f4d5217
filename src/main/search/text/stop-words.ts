import { stemmer } from 'stemmer'
import { lazily } from '#shared/util/lazy.ts'
import { simplify } from './han.ts'
import { irregularForms } from './irregular-words.ts'
import { chineseFillerWords, chineseFunctionWords } from './words/chinese-words.ts'
import { englishFillerWords, englishFunctionWords } from './words/english-words.ts'
import { japaneseFillerWords, japaneseFunctionWords } from './words/japanese-words.ts'
import { koreanFillerWords, koreanFunctionWords } from './words/korean-words.ts'

/**
 * `function`: looked for only when there is nothing else. `filler`: what questions are asked with, whatever they are
 * about. `name`: begins with a capital where no sentence does. `figure`: a number, a date, an identifier.
 */
export type Role = 'function' | 'filler' | 'word' | 'name' | 'figure'

const split = (...lists: readonly string[]) => lists.join(' ').split(/\s+/).filter(Boolean)
const stemmed = (list: string) =>
  lazily(() => new Set(split(list).map((word) => stemmer(irregularForms.get(word) ?? word))))

const englishFunction = stemmed(englishFunctionWords)
const englishFiller = stemmed(englishFillerWords)
/** Han is folded to simplified characters in a query, Japanese words with it. */
const folded = (...lists: readonly string[]) => lazily(() => new Set(split(simplify(lists.join(' ')))))
const cjkFunction = folded(chineseFunctionWords, japaneseFunctionWords, koreanFunctionWords)
const cjkFiller = folded(chineseFillerWords, japaneseFillerWords, koreanFillerWords)

/** Of a stem. */
export function roleOfStem(stem: string): 'function' | 'filler' | 'word' {
  return englishFunction().has(stem) ? 'function' : englishFiller().has(stem) ? 'filler' : 'word'
}

/** Of a folded word. What is put together from function words (我的, 都不) is one. */
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
