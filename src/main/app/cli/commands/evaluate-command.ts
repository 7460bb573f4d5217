import { evaluate as measure, readQuestions } from '#search'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import type { CommonFlags, EvalFlags } from '../flags.ts'
import type { Output } from '../cli-output.ts'
import { waitForVectors } from '../vectors.ts'

/** @throws AppError `input_invalid` for an invalid file of questions, `index_unavailable` */
export async function evaluate({ client }: PrimaryClient, flags: CommonFlags & EvalFlags): Promise<Output> {
  const { agent } = flags
  const questions = await readQuestions(flags.queries)
  const offTopic = flags.offTopic === undefined ? undefined : await readQuestions(flags.offTopic, 'offTopic')
  const startedAt = performance.now()
  const { vectorWaitMs, warning } = await waitForVectors(client, agent, flags.wait)
  const indexMs = Math.round(performance.now() - startedAt)
  const settings = await client.search.settings({ agent })
  const { minScore = settings.minScore, maxResults = settings.maxResults } = flags
  let incompleteSearches = 0
  let incompleteReason = warning
  const runSearch = async (query: string, options: { minScore: number; maxResults: number }) => {
    const answer = await client.search.query({ agent, query, options: { ...options, vectorWaitMs } })
    if (answer.notice) {
      incompleteSearches += 1
      incompleteReason ??= answer.notice.message
    }
    return answer
  }
  const report = await measure(
    {
      rank: (query) => runSearch(query, { minScore: 0, maxResults: Math.max(10, maxResults) }),
      search: (query) => runSearch(query, { minScore, maxResults }),
      minScore,
      maxResults,
    },
    questions,
    offTopic,
    (done, total) => {
      if (done % 50 === 0 || done === total) process.stderr.write(`${done}/${total}\n`)
    },
  )
  const { chunks, embedded } = await client.search.status({ agent })
  const value = { ...report, indexMs, chunks, embedded }
  const text = metricLines(value).join('\n')
  if (incompleteReason === undefined || !flags.wait) return { value, text }
  const searchCount = 2 * (questions.length + (offTopic?.length ?? 0))
  const missingVectorsText =
    incompleteSearches > 0 ? `${incompleteSearches} of ${searchCount} searches were answered without all vectors` : ''
  return {
    value,
    text,
    warning: [missingVectorsText, incompleteReason].filter((part) => part !== '').join(': '),
    isFailure: true,
  }
}

function metricLines(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, metric]: [string, unknown]) => {
    if (typeof metric === 'number') return [`${(prefix + name).padEnd(22)} ${Number(metric.toFixed(4))}`]
    return typeof metric === 'object' && metric !== null ? metricLines(metric, `${prefix}${name}.`) : []
  })
}
