/**
 * `node test/recall/measure.ts [--off ONE:OTHER …] [--split dev|held] [--misses] FOLDER…`: measures recall of keyword
 * search on judged sets, as ranked and as returned, in one table. A folder has `workspace/`, `queries.jsonl` and
 * optionally `offtopic.jsonl` (questions without an answer). Sets of one family (`name-c0`, `name-c1` …) share a row.
 * `--off ONE:OTHER` runs the questions of each set in the memory of the other; `--split` restricts the questions to
 * one half.
 */
import { parseArgs } from 'node:util'
import type { SearchResult } from '../../src/shared/contract/index.ts'
import { isHit, type JudgedQuestion } from '../../src/main/search/evaluation/judged-questions.ts'
import { defaults, openJudgedSet, type JudgedSet } from './judged-set.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    off: { type: 'string', multiple: true, default: [] },
    split: { type: 'string' },
    misses: { type: 'boolean', default: false },
  },
})

interface Asked {
  readonly ranked: readonly boolean[]
  readonly returned: readonly boolean[]
  /** Share of the judged lines that were returned. */
  readonly found: number
  readonly top: number
}

const times: number[] = []

async function ask({ searcher }: JudgedSet, { query, relevant }: JudgedQuestion): Promise<Asked> {
  const started = performance.now()
  const { results } = await searcher.search(query, defaults, { minScore: 0, maxResults: 10 }, false)
  times.push(performance.now() - started)
  const hits = (found: readonly SearchResult[]) => found.map((one) => relevant.some((lines) => isHit(one, lines)))
  const shown = results.filter(({ score }) => score >= defaults.minScore).slice(0, defaults.maxResults)
  const found = mean(relevant.map((lines) => Number(shown.some((one) => isHit(one, lines)))))
  return { ranked: hits(results), returned: hits(shown), found, top: results[0]?.score ?? 0 }
}

const within = (hits: readonly boolean[], depth: number) => Number(hits.slice(0, depth).includes(true))
const reciprocal = (hits: readonly boolean[]) => (hits.includes(true) ? 1 / (hits.indexOf(true) + 1) : 0)
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
const isAnswered = (top: number) => Number(top > 0 && top >= defaults.minScore)

function row(name: string, figures: readonly (number | string)[]): string {
  const cells = figures.map((figure) => (typeof figure === 'number' ? figure.toFixed(3) : figure).padStart(8))
  return name.padEnd(24) + cells.join('')
}

const sets = await Promise.all(positionals.map((folder) => openJudgedSet(folder, flags.split)))
const tops = new Map<string, number[]>()
const families = Map.groupBy(sets, ({ name }) => name.replace(/-(?:c?\d+)$/, ''))
const lines = [
  row('', ['n', '@1', '@5', '@10', 'MRR', '| @1', '@5', 'MRR', 'prec', 'found', 'answ', 'off', 'off answ']),
]
for (const [family, members] of families) {
  const asked: Asked[] = []
  const off: number[] = []
  for (const set of members) {
    const own: Asked[] = []
    for (const question of set.questions) {
      const one = await ask(set, question)
      own.push(one)
      if (flags.misses && within(one.returned, 5) === 0) {
        const rank = one.ranked.indexOf(true) + 1
        process.stdout.write(`${set.name} rank ${rank || '–'} top ${one.top.toFixed(3)}  ${question.query}\n`)
      }
    }
    asked.push(...own)
    tops.set(
      set.name,
      own.map(({ top }) => top),
    )
    for (const question of set.offTopic) {
      const { top } = await ask(set, question)
      off.push(top)
      if (flags.misses && isAnswered(top))
        process.stdout.write(`${set.name} OFF ${top.toFixed(3)}  ${question.query}\n`)
    }
  }
  const ranked = asked.map((one) => one.ranked)
  const returned = asked.map((one) => one.returned)
  lines.push(
    row(family, [
      String(asked.length),
      mean(ranked.map((hits) => within(hits, 1))),
      mean(ranked.map((hits) => within(hits, 5))),
      mean(ranked.map((hits) => within(hits, 10))),
      mean(ranked.map(reciprocal)),
      mean(returned.map((hits) => within(hits, 1))),
      mean(returned.map((hits) => within(hits, 5))),
      mean(returned.map(reciprocal)),
      mean(returned.filter((hits) => hits.length > 0).map((hits) => mean(hits.map(Number)))),
      mean(asked.map(({ found }) => found)),
      mean(asked.map(({ top }) => isAnswered(top))),
      String(off.length),
      mean(off.map(isAnswered)),
    ]),
  )
}
const aucs: number[] = []
for (const pair of flags.off) {
  const [one = '', other = ''] = pair.split(':')
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    const asking = sets.find(({ name }) => name === from)
    const answering = sets.find(({ name }) => name === to)
    if (!asking || !answering) throw new Error(`no such pair of sets: ${pair}`)
    const offTops: number[] = []
    for (const question of asking.questions) {
      const { top } = await ask(answering, question)
      offTops.push(top)
      if (flags.misses && isAnswered(top)) process.stdout.write(`${to} OFF ${top.toFixed(3)}  ${question.query}\n`)
    }
    const onTops = tops.get(to) ?? []
    let wins = 0
    for (const on of onTops) for (const off of offTops) wins += on > off ? 1 : on === off ? 0.5 : 0
    const auc = wins / (onTops.length * offTops.length)
    aucs.push(auc)
    lines.push(
      `${`${from} asked in ${to}`.padEnd(40)} AUC ${auc.toFixed(3)}  answered ${mean(offTops.map(isAnswered)).toFixed(3)}`,
    )
  }
}
times.sort((one, other) => one - other)
const quantile = (share: number) => times[Math.floor(times.length * share)]?.toFixed(2) ?? '–'
process.stdout.write(
  `${lines.join('\n')}\n${times.length} searches: p50 ${quantile(0.5)} ms, p95 ${quantile(0.95)} ms\n`,
)
