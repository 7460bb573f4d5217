import type { ContractClient, SearchOptions } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { fromOrpcError } from '#platform'
import { evaluate as measure, readQuestions } from '#search'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import type { CommonFlags, EvalFlags } from '../flags.ts'
import { UsageError, type Output } from '../cli-output.ts'
import { t } from '../../texts.ts'
import { waitForVectors } from '../vectors.ts'

/** Characters for the ranking without a threshold: enough for all its results. */
const maxRankedCharacters = 100_000
const maxNamedLines = 5

type Questions = Awaited<ReturnType<typeof readQuestions>>

/** @throws AppError `question_invalid`, `input_invalid` for a file of questions, `index_unavailable`; UsageError without notes */
export async function evaluateRecall({ client }: PrimaryClient, flags: CommonFlags & EvalFlags): Promise<Output> {
  const { agent, provider } = flags
  if (provider === undefined) return measureIndex(client, flags, false)
  await client.search.compareWith({ agent, provider })
  try {
    return await measureIndex(client, flags, true)
  } finally {
    await client.search.compareWith({ agent, provider: null })
  }
}

async function measureIndex(client: ContractClient, flags: CommonFlags & EvalFlags, isCompared: boolean) {
  const { agent } = flags
  const questions = await readQuestions(flags.queries)
  const offTopic = flags.offTopic === undefined ? undefined : await readQuestions(flags.offTopic, 'offTopic')
  const startedAt = performance.now()
  const { vectorWaitMs, warning } = await waitForVectors(client, { agent, isCompared }, flags.wait)
  const indexMs = Math.round(performance.now() - startedAt)
  if ((await client.search.status({ agent, isCompared })).units === 0) {
    const workspace = (await client.agents.list()).find(({ id }) => id === agent)?.workspace ?? ''
    throw new UsageError(t('usage.noNotes', { folder: workspace }))
  }
  const missingLines = await findMissingLines(client, agent, questions)
  const settings = await client.search.settings({ agent })
  const { minScore, maxResults = settings.maxResults } = flags
  let incompleteReason = warning
  const runSearch = async (query: string, options: SearchOptions) => {
    const answer = await client.search.query({ agent, isCompared, query, options: { ...options, vectorWaitMs } })
    incompleteReason ??= answer.notice?.message
    return answer
  }
  const report = await measure(
    {
      rank: (query) =>
        runSearch(query, { minScore: 0, maxResults: Math.max(10, maxResults), maxCharacters: maxRankedCharacters }),
      search: (query) => runSearch(query, { minScore, maxResults }),
      minScore: minScore ?? (settings.weights === 'auto' ? null : settings.minScore),
      maxResults,
    },
    questions,
    offTopic,
    (done, total) => {
      if (done % 50 === 0 || done === total) process.stderr.write(`${done}/${total}\n`)
    },
  )
  const { units, embedded } = await client.search.status({ agent, isCompared })
  const value = { ...report, indexMs, units, embedded }
  const text = metricLines(value).join('\n')
  const isIncomplete = incompleteReason !== undefined && flags.wait
  const warnings = [
    ...(missingLines.length > 0 ? [missingLinesText(missingLines)] : []),
    ...(isIncomplete ? [t('eval.incomplete', { reason: incompleteReason })] : []),
  ]
  return { value, text, warning: warnings.join(t('common.semicolon')), isFailure: isIncomplete }
}

async function findMissingLines(client: ContractClient, agent: string, questions: Questions): Promise<string[]> {
  const lineCounts = new Map<string, number>()
  const missing: string[] = []
  for (const { id, query, relevant } of questions) {
    for (const { path, startLine, endLine } of relevant) {
      const count = lineCounts.get(path) ?? (await countLines(client, agent, path))
      lineCounts.set(path, count)
      if (endLine > count)
        missing.push(t('eval.question', { place: `${path}:${Math.max(startLine, count + 1)}`, id: id ?? query }))
    }
  }
  return missing
}

async function countLines(client: ContractClient, agent: string, path: string): Promise<number> {
  try {
    return (await client.workspace.lines({ agent, path, from: 1, count: 1 })).total
  } catch (error) {
    if (fromOrpcError(error) instanceof AppError) return 0
    throw error
  }
}

function missingLinesText(missing: readonly string[]): string {
  const lines = missing.slice(0, maxNamedLines).join(', ')
  const more = missing.length - maxNamedLines
  return more > 0 ? t('eval.missingMore', { lines, more }) : t('eval.missing', { lines })
}

function metricLines(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, metric]: [string, unknown]) => {
    if (typeof metric === 'number') return [`${(prefix + name).padEnd(22)} ${Number(metric.toFixed(4))}`]
    return typeof metric === 'object' && metric !== null ? metricLines(metric, `${prefix}${name}.`) : []
  })
}
