/**
 * `node test/recall/measure.ts [--classic] [--weights FILE] [--max-characters N] [--max-results N] [--misses] FOLDER…`:
 * measures what a search of units shows at the default or the classic settings: how often a judged line is within the first 400, 800,
 * 1,600 and 3,200 characters of the results' texts, and how long the results are. Sets of one family (`name-c0`,
 * `name-c1` …) share a row.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isHit, type JudgedQuestion } from '../../src/main/search/evaluation/judged-questions.ts'
import type { SearchResult } from '#shared/contract/index.ts'
import { searchModes } from '#shared/contract/search.ts'
import { formatResult } from '../../src/shared/util/format-result.ts'
import { classicLimits, openUnitSearch, type UnitSearch } from './unit-set.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    classic: { type: 'boolean', default: false },
    weights: { type: 'string' },
    'max-characters': { type: 'string', default: '1600' },
    'max-results': { type: 'string', default: '20' },
    'no-vectors': { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
  },
})
const budgets = [400, 800, 1600, 3200]
const limits = flags.classic
  ? classicLimits
  : {
      minScore: null,
      maxResults: Number(flags['max-results']),
      maxCharacters: Number(flags['max-characters']),
    }
const chunking = flags.classic ? searchModes.classic.chunking : undefined
const models =
  flags.weights === undefined
    ? undefined
    : (JSON.parse(readFileSync(flags.weights, 'utf8')) as Parameters<typeof openUnitSearch>[1])

interface Asked {
  /** Characters of the results' texts up to the end of the first judged one; infinite if none is returned. */
  readonly until: number
  /** True if one of the first three results is judged and has at most 250 characters. */
  readonly isInThree: boolean
  readonly characters: number
  readonly results: number
  readonly ms: number
}

async function ask({ search }: UnitSearch, question: JudgedQuestion): Promise<Asked> {
  const started = performance.now()
  const results = await search(question.query, limits)
  const ms = performance.now() - started
  const isJudged = (result: SearchResult) => question.relevant.some((lines) => isHit(result, lines))
  const first = results.findIndex((result) => isJudged(result))
  const shown = results.slice(0, first + 1)
  return {
    until: first < 0 ? Infinity : shown.reduce((sum, { snippet }) => sum + snippet.length, 0),
    isInThree: results.slice(0, 3).some((result) => result.snippet.length <= 250 && isJudged(result)),
    characters: results.reduce((sum, result) => sum + formatResult(result).length + 1, 0),
    results: results.length,
    ms,
  }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0

const sets = await Promise.all(
  positionals.map((folder) => openUnitSearch(folder, models, !flags['no-vectors'], chunking)),
)
for (const [family, members] of Map.groupBy(sets, ({ name }) => name.replace(/-(?:c?\d+)$/, ''))) {
  const asked: Asked[] = []
  const off: number[] = []
  for (const set of members) {
    for (const question of set.questions) {
      const found = await ask(set, question)
      asked.push(found)
      if (flags.misses && !found.isInThree) console.log(`  ${String(question.category)}: ${question.query}`)
    }
    for (const { query } of set.offTopic) {
      const results = await set.search(query, limits)
      off.push(results.length)
      if (flags.misses && results.length > 0) console.log(`  off-topic: ${query}`)
    }
  }
  const within = budgets.map((budget) => mean(asked.map(({ until }) => Number(until <= budget))).toFixed(3))
  const times = asked.map(({ ms }) => ms)
  console.log(
    [
      family.padEnd(14),
      String(asked.length).padStart(4),
      ...within.map((share, at) => `${budgets[at]}: ${share}`),
      `in three ${mean(asked.map(({ isInThree }) => Number(isInThree))).toFixed(3)}`,
      `characters ${mean(asked.map(({ characters }) => characters)).toFixed(0)}`,
      `results ${mean(asked.map(({ results }) => results)).toFixed(1)}`,
      `answered ${mean(asked.map(({ results }) => Number(results > 0))).toFixed(3)}`,
      `off-topic ${off.filter((count) => count > 0).length} of ${off.length}`,
      `ms ${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.95).toFixed(1)}`,
    ].join('  '),
  )
}
