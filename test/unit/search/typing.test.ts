/** Words that are typed only in part, or with a typing error. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { builtinFile, defaults, openJudgedSet } from '../../recall/judged-set.ts'
import { stem } from '../../../src/main/search/text/stem.ts'
import { roleOfStem } from '../../../src/main/search/text/stop-words.ts'
import { rounds } from '../../support/thorough.ts'
import { randomOf } from '../../support/random.ts'

const folder = fileURLToPath(new URL('../../recall/everyday-en/', import.meta.url))
const provider = createBuiltinEmbeddings(builtinFile)
const minShare = 0.9

type Random = () => number

/** Returns the stems of all words, and the words of five letters or more that only one note has, with that note. */
function readWords() {
  const workspace = join(folder, 'workspace')
  const paths = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
  const notes = paths.sort().map((path) => {
    const text = readFileSync(join(workspace, path), 'utf8').toLowerCase()
    return { path, words: new Set(text.match(/(?<![\p{L}\p{N}])[a-z]+(?![\p{L}\p{N}])/gu)) }
  })
  const isRare = (word: string) => word.length >= 5 && notes.filter(({ words }) => words.has(word)).length === 1
  return {
    stems: new Set(notes.flatMap(({ words }) => Array.from(words, stem))),
    rare: notes.flatMap(({ path, words }) => [...words].filter(isRare).map((word) => ({ word, path }))),
  }
}

function integerBelow(limit: number, random: Random): number {
  return Math.floor(random() * limit)
}

function prefixOf(word: string, random: Random): string {
  return word.slice(0, 4 + integerBelow(word.length - 4, random))
}

/** Returns the word with one letter removed, added or changed, or two letters swapped. */
function misspell(word: string, random: Random): string {
  const letter = String.fromCharCode(97 + integerBelow(26, random))
  const at = integerBelow(word.length, random)
  const edits = [
    word.slice(0, at) + word.slice(at + 1),
    word.slice(0, at) + letter + word.slice(at),
    word.slice(0, at) + letter + word.slice(at + 1),
    word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2),
  ]
  const edited = edits[integerBelow(edits.length, random)] ?? word
  return edited === word ? misspell(word, random) : edited
}

describe('a word that only one note has', () => {
  it.each([
    ['the beginning of it', prefixOf],
    ['one typing error', misspell],
  ])('is found in the first three results by %s', async (name, change) => {
    const { searcher } = openJudgedSet(folder, undefined, provider)
    const { stems, rare } = readWords()
    // Another word of the memory is no typing error.
    const isOtherWord = (query: string) => stems.has(stem(query)) || roleOfStem(stem(query)) === 'function'
    const random = randomOf(1)
    const count = rounds(100, 1000)
    const missed: string[] = []
    for (let round = 0; round < count;) {
      const { word, path } = rare[integerBelow(rare.length, random)] ?? { word: '', path: '' }
      const query = change(word, random)
      if (isOtherWord(query)) continue
      round += 1
      const { results } = await searcher.search(query, defaults, {}, false)
      if (!results.slice(0, 3).some((result) => result.path === path)) missed.push(`${query} (${word})`)
    }
    const share = 1 - missed.length / count
    process.stdout.write(`${name}: ${share.toFixed(3)} of ${count}\n`)
    expect(share, missed.join(', ')).toBeGreaterThanOrEqual(minShare)
  })
})
