import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import { searchOptions, type CommonFlags, type SearchFlags } from '../flags.ts'
import { conditionText, warningOf, printedFields, type Output } from '../cli-output.ts'
import { waitForVectors } from '../vectors.ts'

/** @throws AppError `index_unavailable` */
export async function search(
  { client }: PrimaryClient,
  { agent, ...flags }: CommonFlags & SearchFlags,
  query: string,
): Promise<Output> {
  const { vectorWaitMs, warning } = await waitForVectors(client, agent, flags.wait)
  const options = { ...searchOptions(flags), vectorWaitMs }
  const {
    results,
    provider,
    model,
    stale,
    standstill,
    notice,
    conditions = [],
  } = await client.search.query({ agent, query, options })
  const staleWarning = standstill === undefined ? undefined : `recent changes are not searchable yet: ${standstill}`
  const value = {
    results: results.map(printedFields),
    provider,
    model,
    stale,
    ...(standstill === undefined ? {} : { standstill }),
    notice,
    ...(conditions.length > 0 ? { conditions } : {}),
  }
  const lines = results.map(
    ({ path, startLine, endLine, score, snippet }) =>
      `${score.toFixed(2)}  ${path}:${startLine}-${endLine}\n${indent(snippet)}`,
  )
  return {
    value,
    text: [...conditions.map(conditionText), ...(lines.length > 0 ? lines : ['Nothing found.'])].join('\n'),
    ...warningOf(warning ?? staleWarning, notice),
  }
}

function indent(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `      ${line}`)
    .join('\n')
}
