/** Says how every candidate for a query was scored. */
import type { Verdict } from '../../../shared/contract/index.ts'
import { AppError } from '../../../shared/errors.ts'
import { decidingDigits } from '../../../shared/figures.ts'
import type { Runtime } from '../../owner/index.ts'
import { searchOptions, type CommonFlags, type ExplainFlags } from '../flags.ts'
import { toldOnce, type Output } from '../output.ts'
import { waitForVectors } from '../vectors.ts'

export async function explain(
  { client }: Runtime,
  { agent, ...flags }: CommonFlags & ExplainFlags,
  query: string,
): Promise<Output> {
  const why = flags.why === undefined ? undefined : parsePlace(flags.why)
  const { vectorWaitMs, warning } = await waitForVectors(client, agent, flags.wait)
  const options = { ...searchOptions(flags), vectorWaitMs }
  const explanation = await client.search.explain({ agent, query, options, ...(why ? { why } : {}) })
  const candidates = explanation.candidates.map(({ verdict, ...candidate }) => ({
    ...candidate,
    verdict: verdictText(verdict),
  }))
  const value = {
    ...explanation,
    candidates,
    ...(explanation.why
      ? {
          why: {
            ...explanation.why,
            candidate:
              candidates.find(
                ({ path, startLine, endLine }) => why?.path === path && startLine <= why.line && why.line <= endLine,
              ) ?? null,
          },
        }
      : {}),
  }
  const lines = candidates.map(
    ({ path, startLine, endLine, score, vector, text, verdict }) =>
      `${score.toFixed(decidingDigits(score, explanation.minScore, 3))}  vector ${vector ? vector.score.toFixed(3) : 'off'}  text ${text ? text.score.toFixed(3) : 'off'}  ${path}:${startLine}-${endLine}  ${verdict}`,
  )
  if (explanation.why)
    lines.push(
      `${explanation.why.path}:${explanation.why.line}: ${explanation.why.reason}, rank ${explanation.why.rank ?? '–'}`,
    )
  return {
    value,
    text: lines.length > 0 ? lines.join('\n') : 'No candidates.',
    ...toldOnce(warning, explanation.notice),
  }
}

function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'returned':
      return 'returned'
    case 'belowMinScore':
      return 'below minScore'
    case 'beyondMaxResults':
      return 'beyond maxResults'
    case 'folded':
      return `folded into #${verdict.into}`
  }
}

function parsePlace(place: string): { path: string; line: number } {
  const match = /^(?<path>.+):(?<line>[1-9]\d*)$/.exec(place)
  if (!match?.groups?.['path'])
    throw new AppError('input_invalid', `--why ${place}: path:line is wanted, such as MEMORY.md:12`)
  return { path: match.groups['path'], line: Number(match.groups['line']) }
}
