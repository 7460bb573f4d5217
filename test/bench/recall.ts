/**
 * Measures what a search shows of the project's judged sets, at the default and the classic settings, and by a baseline:
 * full-text search and cosines, fused by reciprocal rank.
 */
import Database from 'better-sqlite3'
import { fileURLToPath } from 'node:url'
import { searchModes } from '#shared/contract/search.ts'
import { formatResult } from '#shared/util/format-result.ts'
import { createBuiltinEmbeddings } from '../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { dot } from '../../src/main/search/embeddings/embedding-provider.ts'
import { isHit } from '../../src/main/search/evaluation/judged-questions.ts'
import { builtinFile, defaults } from '../recall/judged-set.ts'
import { classicLimits, openUnitSearch, openUnitSet } from '../recall/unit-set.ts'
import type { Figure } from './figures.ts'

const sets = ['everyday-en', 'everyday-zh']
const modes = {
  default: { limits: { ...defaults, minScore: null }, chunking: undefined },
  classic: { limits: classicLimits, chunking: searchModes.classic.chunking },
}

export async function measureRecall(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const set of sets)
    for (const [mode, { limits, chunking }] of Object.entries(modes)) {
      const folder = fileURLToPath(new URL(`../recall/${set}`, import.meta.url))
      const { questions, offTopic, search } = await openUnitSearch(folder, undefined, true, chunking)
      let [first, inThree, shown, characters, answered] = [0, 0, 0, 0, 0]
      for (const { query, relevant } of questions) {
        const results = await search(query, limits)
        const hits = results.map((result) => relevant.some((lines) => isHit(result, lines)))
        if (hits[0]) first += 1
        if (hits.slice(0, 3).includes(true)) inThree += 1
        if (hits.includes(true)) shown += 1
        characters += results.reduce((sum, result) => sum + formatResult(result).length + 1, 0)
      }
      for (const { query } of offTopic) if ((await search(query, limits)).length > 0) answered += 1
      const name = (figure: string) => `${set}, ${mode}: ${figure}`
      figures.push(
        { name: name('judged line first'), value: first / questions.length, unit: 'share' },
        { name: name('judged line in three'), value: inThree / questions.length, unit: 'share' },
        { name: name('judged line shown'), value: shown / questions.length, unit: 'share' },
        { name: name('characters of a search'), value: characters / questions.length, unit: 'characters' },
        { name: name('off-topic questions answered'), value: answered / offTopic.length, unit: 'share' },
      )
    }
  for (const set of sets) figures.push(...(await measureBaseline(set)))
  return figures
}

const words = new Intl.Segmenter('en', { granularity: 'word' })
/** Constant of reciprocal rank fusion (Cormack et al., 2009). */
const fusion = 60

/** Ranks all units by FTS5 and by the cosines of their vectors, and adds the reciprocal ranks. */
async function measureBaseline(set: string): Promise<Figure[]> {
  const { units, questions } = await openUnitSet(fileURLToPath(new URL(`../recall/${set}`, import.meta.url)))
  const provider = createBuiltinEmbeddings(builtinFile)
  const vectorOf = async (text: string) => (await provider.embed([text]))[0] ?? new Float32Array()
  const wordsOf = (text: string) =>
    Array.from(words.segment(text), ({ segment, isWordLike }) => (isWordLike ? segment : '')).filter(Boolean)
  const db = new Database(':memory:')
  db.exec("CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'porter unicode61')")
  const put = db.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)')
  const vectors: Float32Array[] = []
  for (const [at, { text }] of units.entries()) {
    put.run(at + 1, wordsOf(text).join(' '))
    vectors.push(await vectorOf(text))
  }
  const find = db.prepare<[string], number>('SELECT rowid - 1 FROM texts WHERE texts MATCH ? ORDER BY rank').pluck()
  let [first, inThree] = [0, 0]
  for (const { query, relevant } of questions) {
    const asked = await vectorOf(query)
    const byText = find.all(
      wordsOf(query)
        .map((word) => JSON.stringify(word))
        .join(' OR '),
    )
    const cosines = vectors.map((vector) => dot(asked, vector))
    const byMeaning = [...units.keys()].sort((one, other) => (cosines[other] ?? 0) - (cosines[one] ?? 0))
    const scores = new Map<number, number>()
    for (const ranking of [byText, byMeaning])
      for (const [rank, at] of ranking.entries()) scores.set(at, (scores.get(at) ?? 0) + 1 / (fusion + rank))
    const best = [...scores].sort(([, one], [, other]) => other - one).slice(0, 3)
    const hits = best.map(([at]) => relevant.some((lines) => units[at] !== undefined && isHit(units[at], lines)))
    if (hits[0]) first += 1
    if (hits.includes(true)) inThree += 1
  }
  const name = (figure: string) => `${set}, FTS5 and cosine: ${figure}`
  return [
    { name: name('judged line first'), value: first / questions.length, unit: 'share' },
    { name: name('judged line in three'), value: inThree / questions.length, unit: 'share' },
  ]
}
