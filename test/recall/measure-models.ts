/**
 * `node test/recall/measure-models.ts MODELS [--model NAME …] [--leg words|meaning|both …] [--off ONE:OTHER …]
 * [--split dev|held] FOLDER…`: measures recall with real embedding models on judged sets, one row per model, set and
 * retriever, as ranked and as returned. MODELS is the folder that `models/setup.sh` filled; for the sets see
 * `measure.ts`. `--off` runs the questions of each set in the memory of the other: they count as off-topic questions.
 * `AUC` is the probability that the best score of a question is above that of an off-topic one in the same memory,
 * with the middle 95 % of 1,000 samples.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { SearchOptions, SearchResult } from '../../src/shared/contract/index.ts'
import { createEmbeddings } from '../../src/main/search/embeddings/create-embeddings.ts'
import type { EmbeddingProvider } from '../../src/main/search/embeddings/embedding-provider.ts'
import { isHit } from '../../src/main/search/evaluation/judged-questions.ts'
import { builtinFile, defaults, openJudgedSet, type JudgedSet } from './judged-set.ts'
import { isInstalled, isModelName, modelNames } from './models/models.ts'
import { startModelServer } from './models/server.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string', multiple: true, default: ['builtin', ...modelNames] },
    off: { type: 'string', multiple: true, default: [] },
    split: { type: 'string' },
    leg: { type: 'string', multiple: true, default: ['words', 'meaning', 'both'] },
  },
})
const [folder = '', ...setFolders] = positionals
const models = flags.model.filter((name) => name === 'builtin' || isModelName(name))
const missing = models.filter((name) => isModelName(name) && !isInstalled(resolve(folder), name))
if (folder === '' || setFolders.length === 0 || models.length < flags.model.length || missing.length > 0) {
  process.stderr.write(
    missing.length > 0 && folder !== ''
      ? `${missing.join(', ')}: not in ${folder}. Run test/recall/models/setup.sh ${folder} first.\n`
      : `usage: measure-models.ts MODELS [--model builtin|${modelNames.join('|')} …] [--off ONE:OTHER …] FOLDER…\n`,
  )
  process.exit(2)
}

type Leg = 'words' | 'meaning' | 'both'

/**
 * Vector search alone is only reported as ranked: with the threshold, results of keyword search are returned as well.
 */
const weightsOf = { words: 'auto', meaning: { vector: 1, text: 0 }, both: 'auto' } as const

const all = { minScore: 0, maxResults: 10 }
const legs = (['meaning', 'both'] as const).filter((leg) => flags.leg.includes(leg))
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
const within = (depth: number) => (hits: readonly boolean[]) => Number(hits.slice(0, depth).includes(true))
const reciprocal = (hits: readonly boolean[]) => (hits.includes(true) ? 1 / (hits.indexOf(true) + 1) : 0)
const figures = [within(1), within(5), reciprocal]

/** @param offTopic pairs of sets: the questions of the first are off-topic questions in the second */
async function rowOf(
  cells: readonly string[],
  leg: Leg,
  sets: readonly JudgedSet[],
  offTopic: readonly (readonly [JudgedSet, JudgedSet])[],
): Promise<string> {
  const search = async ({ searcher }: JudgedSet, query: string, options: SearchOptions) =>
    (await searcher.search(query, defaults, { weights: weightsOf[leg], ...options }, false)).results
  const ranked: boolean[][] = []
  const returned: boolean[][] = []
  const answered: number[] = []
  const tops: { on: readonly number[]; off: readonly number[] }[] = []
  for (const set of sets) {
    const [on, off]: [number[], number[]] = [[], []]
    for (const { query, relevant } of set.questions) {
      const hitsOf = (results: readonly SearchResult[]) =>
        results.map((one) => relevant.some((lines) => isHit(one, lines)))
      const results = await search(set, query, all)
      on.push(results[0]?.score ?? 0)
      ranked.push(hitsOf(results))
      if (leg !== 'meaning') returned.push(hitsOf(await search(set, query, {})))
    }
    const others = offTopic.filter(([, answering]) => answering === set).flatMap(([asking]) => asking.questions)
    for (const { query } of [...set.offTopic, ...others]) {
      off.push((await search(set, query, all))[0]?.score ?? 0)
      if (leg !== 'meaning') answered.push(Number((await search(set, query, {})).length > 0))
    }
    tops.push({ on, off })
  }
  return row([
    ...cells,
    leg,
    String(ranked.length),
    ...figures.map((figure) => mean(ranked.map(figure))),
    ...figures.map((figure) => (returned.length > 0 ? mean(returned.map(figure)) : '–')),
    String(answered.length),
    answered.length > 0 ? mean(answered) : '–',
    ...aucOf(tops),
  ])
}

/** Returns the AUC, averaged over the memories, and the bounds of the middle 95 % of bootstrap samples. */
function aucOf(tops: readonly { readonly on: readonly number[]; readonly off: readonly number[] }[]) {
  const measured = tops.filter(({ on, off }) => on.length > 0 && off.length > 0)
  if (measured.length === 0) return []
  let state = 1
  const drawn = (values: readonly number[]) =>
    values.map(() => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return values[Math.floor((state / 2 ** 32) * values.length)] ?? 0
    })
  const samples = Array.from({ length: 1000 }, () =>
    mean(measured.map(({ on, off }) => auc(drawn(on), drawn(off)))),
  ).sort((one, other) => one - other)
  return [mean(measured.map(({ on, off }) => auc(on, off))), samples[25] ?? 0, samples[974] ?? 0]
}

function auc(on: readonly number[], off: readonly number[]): number {
  const sorted = off.toSorted((one, other) => one - other)
  const below = (value: number, isStrict: boolean) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const other = sorted[middle] ?? 0
      if (isStrict ? other < value : other <= value) low = middle + 1
      else high = middle
    }
    return low
  }
  return mean(on.map((value) => (below(value, true) + below(value, false)) / 2)) / sorted.length
}

function row(cells: readonly (string | number)[]): string {
  return cells
    .map((cell, index) => {
      const text = typeof cell === 'number' ? cell.toFixed(3) : cell
      return index < 3 ? text.padEnd(index === 1 ? 16 : 9) : text.padStart(8)
    })
    .join('')
}

async function printModel(model: string, provider: EmbeddingProvider | undefined, legs: readonly Leg[]): Promise<void> {
  const sets: JudgedSet[] = []
  for (const path of setFolders) sets.push(await openJudgedSet(path, flags.split, provider))
  const named = (name: string) => sets.find((set) => set.name === name)
  const pairs = flags.off.flatMap((pair) => {
    const [one, other] = pair.split(':').map(named)
    return one && other ? [[one, other] as const, [other, one] as const] : []
  })
  for (const [family, members] of Map.groupBy(sets, ({ name }) => name.replace(/-(?:c?\d+)$/, ''))) {
    const own = pairs.filter(([, answering]) => members.includes(answering))
    for (const leg of legs) process.stdout.write(`${await rowOf([model, family], leg, members, own)}\n`)
  }
}

const server = await startModelServer(resolve(folder))
process.stdout.write(
  `${row(['model', 'set', 'leg', 'n', '@1', '@5', 'MRR', '| @1', '@5', 'MRR', 'off', 'answered', 'AUC', 'from', 'to'])}\n`,
)
if (flags.leg.includes('words')) await printModel('–', undefined, ['words'])
for (const model of models) {
  const provider = await createEmbeddings({
    provider: model === 'builtin' ? model : 'openai-compatible',
    model,
    baseUrl: server.url,
    batchSize: 64,
    apiKey: undefined,
    isLocal: true,
    allowDownload: false,
    modelsFolder: '',
    builtinFile,
  })
  if (typeof provider === 'object') await printModel(model, provider, legs)
}
server.close()
