import type { SearchResult } from '#shared/contract/index.ts'
import { formatCondition, formatResult } from '#shared/util/format-result.ts'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import { searchOptions, type CommonFlags, type SearchFlags } from '../flags.ts'
import { printedFields, type Output } from '../cli-output.ts'
import { waitForVectors } from '../vectors.ts'

/** @throws AppError `index_unavailable` */
export async function search(
  { client }: PrimaryClient,
  { agent, json: isJson = false, ...flags }: CommonFlags & SearchFlags,
  query: string,
): Promise<Output> {
  const { vectorWaitMs, warning } = await waitForVectors(client, { agent }, flags.wait)
  const options = { ...searchOptions(flags), vectorWaitMs, showWeak: !isJson }
  const answer = await client.search.query({ agent, query, options })
  const { results, weak, provider, model, standstill, notice, conditions = [] } = answer
  const staleWarning = standstill === undefined ? undefined : `recent changes are not searchable yet: ${standstill}`
  const { notes = [], chats = [] } = Object.groupBy(results, ({ source }) =>
    source === 'sessions' ? 'chats' : 'notes',
  )
  const maxWeak = Math.max(0, (flags.maxResults ?? Infinity) - results.length)
  const lines = [
    ...conditions.map(formatCondition),
    ...(results.length === 0 ? ['Nothing found.'] : []),
    ...notes.map(formatResult),
    ...groupLines('Chats:', chats),
    ...groupLines('Weak matches:', weak.slice(0, maxWeak)),
  ]
  return {
    value: { query: answer.query, results: results.map(printedFields), provider, model, conditions: answer.conditions },
    text: lines.join('\n'),
    warning: warning ?? staleWarning ?? notice?.message,
  }
}

function groupLines(title: string, results: readonly SearchResult[]): string[] {
  return results.length === 0 ? [] : [title, ...results.map(formatResult)]
}
