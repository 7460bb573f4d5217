/**
 * `node test/recall/fit-weights.ts [--no-vectors] [--off ONE:OTHER …] [--ordinary FILE] [--weight SET:FACTOR …] [--leave-out] [--held NAME …] [--out FILE]
 * FOLDER…`: fits the weights of the ranking model on judged sets and writes them to FILE. `--off ONE:OTHER` uses the
 * questions of the first set as questions that the memory of the other does not answer. The messages in FILE (JSONL
 * with `query`) are answered by no memory. `--leave-out` also measures
 * each set with weights fitted on the others. Sets of the family `--held` are measured, but not fitted on.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { calibrationError, type ScoredResult } from '../../src/main/search/evaluation/evaluate.ts'
import { parseQuestions } from '../../src/main/search/evaluation/judged-questions.ts'
import { rank, type RankedUnit, type RankingWeights } from '../../src/main/search/ranking/rank.ts'
import { hasAnswer } from '../../src/main/search/ranking/select-results.ts'
import { fitWeights, type FitQuestion } from './fit.ts'
import { openUnitSet, type UnitSet } from './unit-set.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'no-vectors': { type: 'boolean', default: false },
    off: { type: 'string', multiple: true, default: [] },
    ordinary: { type: 'string' },
    weight: { type: 'string', multiple: true, default: [] },
    'leave-out': { type: 'boolean', default: false },
    held: { type: 'string', multiple: true, default: [] },
    out: { type: 'string' },
  },
})

interface Asked {
  readonly set: UnitSet
  readonly answered: readonly FitQuestion[]
  readonly unanswered: readonly FitQuestion[]
}

const factors = new Map(flags.weight.map((entry) => [entry.split(':')[0] ?? '', Number(entry.split(':')[1])]))
const sets = await Promise.all(positionals.map((folder) => openUnitSet(folder, !flags['no-vectors'])))
const ordinary =
  flags.ordinary === undefined ? [] : parseQuestions(readFileSync(flags.ordinary, 'utf8'), flags.ordinary, 'offTopic')
const all: Asked[] = []
for (const set of sets) {
  const weight = factors.get(familyOf(set.name)) ?? 1
  const pairs = new Set(flags.off)
  const foreign = sets.filter(({ name }) => pairs.has(`${name}:${set.name}`)).flatMap(({ questions }) => questions)
  const ask = async (questions: UnitSet['questions'], isAnswered: boolean) => {
    const asked: FitQuestion[] = []
    for (const question of questions) {
      const found = await set.ask(isAnswered ? question : { ...question, relevant: [] })
      asked.push({ ...found, weight })
    }
    return asked
  }
  all.push({
    set,
    answered: await ask(set.questions, true),
    unanswered: await ask([...set.offTopic, ...foreign, ...ordinary], false),
  })
}

const budgets = [400, 800, 1600, 3200]

function familyOf(name: string): string {
  return name.replace(/-(?:c?\d+)$/, '')
}

function measure(asked: readonly Asked[], weightsOf: (set: UnitSet) => RankingWeights): string {
  const within = budgets.map(() => 0)
  const scored: ScoredResult[] = []
  let answeredCount = 0
  let offCount = 0
  let offAnswered = 0
  let count = 0
  let top = 0
  for (const { set, answered, unanswered } of asked) {
    const weights = weightsOf(set)
    for (const { candidates, isAnswer } of answered) {
      count += 1
      const ranked = rank(candidates, weights)
      const answers = new Set(candidates.flatMap(({ id }, at) => (isAnswer[at] === true ? [id] : [])))
      answeredCount += Number(hasAnswer(ranked))
      for (const { id, score } of ranked.slice(0, 20)) scored.push({ score, isRight: answers.has(id) })
      const used = charactersUntil(ranked, answers, set)
      for (const [at, budget] of budgets.entries()) if (used <= budget) within[at] = (within[at] ?? 0) + 1
      if (ranked.slice(0, 3).some(({ id }) => answers.has(id))) top += 1
    }
    offCount += unanswered.length
    for (const { candidates } of unanswered) offAnswered += Number(hasAnswer(rank(candidates, weights)))
  }
  return [
    familyOf(asked[0]?.set.name ?? '').padEnd(14),
    String(count).padStart(4),
    ...within.map((hits, at) => `${budgets[at]}: ${(hits / count).toFixed(3)}`),
    `@3 ${(top / count).toFixed(3)}`,
    `calibration ${calibrationError(scored).toFixed(3)}`,
    `answered ${answeredCount} of ${count}, off-topic ${offAnswered} of ${offCount}`,
  ].join('  ')
}

function charactersUntil(ranked: readonly RankedUnit[], answers: ReadonlySet<number>, set: UnitSet): number {
  let used = 0
  for (const { id } of ranked) {
    used += set.place(id).text.replace(/\s+/g, ' ').length
    if (answers.has(id)) return used
  }
  return Infinity
}

const fitOn = (asked: readonly Asked[]) =>
  fitWeights(
    asked.flatMap(({ answered }) => answered),
    asked.flatMap(({ unanswered }) => unanswered),
  )
const isFitted = ({ set }: Asked) => !flags.held.includes(familyOf(set.name))
const weights = fitOn(all.filter(isFitted))
if (flags.out !== undefined) {
  const rounded = JSON.stringify(
    weights,
    (_, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(3)) : value),
    2,
  )
  writeFileSync(flags.out, `${rounded}\n`)
}
for (const members of Map.groupBy(all, ({ set }) => familyOf(set.name)).values()) {
  console.log(`fitted    ${measure(members, () => weights)}`)
  if (!flags['leave-out']) continue
  const fits = new Map(
    members.map(({ set }) => [set, fitOn(all.filter((other) => other.set !== set && isFitted(other)))]),
  )
  console.log(`left out  ${measure(members, (set) => fits.get(set) ?? weights)}`)
}
