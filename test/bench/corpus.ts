/**
 * Generates Markdown with the statistics of natural notes: word frequencies follow Zipf's law, files are daily logs
 * with dated entries, and one in four is Chinese. Seeded, so that every run measures the same text.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const entriesPerFile = 10
const wordsPerEntry = 140
const vocabularySize = 20_000

export interface Corpus {
  readonly folder: string
  readonly files: number
  /** Queries with words of the corpus, from common to rare. */
  readonly queries: readonly string[]
}

export function writeCorpus(folder: string, files: number, seed = 1): Corpus {
  const random = generator(seed)
  const english = words(random, vocabularySize, englishWord)
  const chinese = words(random, vocabularySize, chineseWord)
  mkdirSync(join(folder, 'memory'), { recursive: true })
  writeFileSync(join(folder, 'MEMORY.md'), `# Long-term memory\n\n${sentence(random, english, 200, ' ')}\n`)
  for (let index = 0; index < files; index += 1) {
    const isChinese = index % 4 === 3
    const entries = Array.from({ length: entriesPerFile }, (_, entry) => {
      const title = isChinese ? sentence(random, chinese, 3, '') : sentence(random, english, 4, ' ')
      const text = isChinese
        ? sentence(random, chinese, wordsPerEntry, '')
        : sentence(random, english, wordsPerEntry, ' ')
      return `## ${String(entry + 8).padStart(2, '0')}:00 - ${title}\n${text}\n`
    })
    const date = new Date(Date.UTC(2000, 0, 1 + Math.floor(index / 10))).toISOString().slice(0, 10)
    writeFileSync(join(folder, 'memory', `${date}-note${index % 10}.md`), `# ${date}\n\n${entries.join('\n')}`)
  }
  const queries = Array.from({ length: 200 }, (_, index) => {
    const isChinese = index % 4 === 3
    return isChinese ? sentence(random, chinese, 4, '') : `what about ${sentence(random, english, 5, ' ')}`
  })
  return { folder, files, queries }
}

/** Returns a mulberry32 generator. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}

function words(random: () => number, count: number, make: (random: () => number) => string): string[] {
  const made = new Set<string>()
  while (made.size < count) made.add(make(random))
  return [...made]
}

function englishWord(random: () => number): string {
  const consonants = 'bcdfghklmnprstvw'
  const vowels = 'aeiou'
  const pick = (letters: string) => letters[Math.floor(random() * letters.length)] ?? 'a'
  const syllables = 1 + Math.floor(random() * 3)
  return Array.from({ length: syllables }, () => pick(consonants) + pick(vowels)).join('') + pick(consonants)
}

function chineseWord(random: () => number): string {
  const letter = () => String.fromCodePoint(0x4e00 + Math.floor(random() * 3000))
  return letter() + letter()
}

/**
 * Returns a sentence with words by Zipf's law with exponent 1: the rank of a word is exponential in a uniform number.
 */
function sentence(random: () => number, vocabulary: readonly string[], count: number, separator: string): string {
  const parts: string[] = []
  for (let index = 0; index < count; index += 1) {
    const word = vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? vocabulary[0] ?? ''
    parts.push(index % 17 === 16 ? `${word}${separator === '' ? '。\n' : '.\n'}` : word)
  }
  return parts.join(separator)
}
