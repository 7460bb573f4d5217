import type { Candidate, Explanation } from '#shared/contract/index.ts'
import type { ScorePartName } from '#shared/contract/search.ts'
import { AppError } from '#shared/util/errors.ts'
import { parseLines } from '#shared/util/file-lines.ts'
import { exclusionTexts, formatCondition, verdictText } from '#shared/util/format-result.ts'
import { distinguishingDigits } from '#shared/util/rounding.ts'
import type { PrimaryClient } from '../../instance-lock/host-process.ts'
import { searchOptions, type CommonFlags, type SearchFlags } from '../flags.ts'
import type { Output } from '../cli-output.ts'
import { waitForVectors } from '../vectors.ts'

/** @throws AppError `input_invalid` unless `--why` is PATH:LINE (1-based), `index_unavailable` */
export async function explain(
  { client }: PrimaryClient,
  { agent, ...flags }: CommonFlags & SearchFlags & { readonly why?: string },
  query: string,
): Promise<Output> {
  const place = flags.why === undefined ? undefined : parseLines(flags.why)
  if (flags.why !== undefined && !place)
    throw new AppError('input_invalid', `--why ${flags.why}: expected path:line, such as MEMORY.md:12`)
  const why = place && { path: place.path, line: place.startLine }
  const { vectorWaitMs, warning } = await waitForVectors(client, { agent }, flags.wait)
  const options = { ...searchOptions(flags), vectorWaitMs }
  const explanation = await client.search.explain({ agent, query, options, why })
  const lines = explanation.candidates.flatMap((candidate) => candidateLines(candidate, explanation.minScore))
  lines.unshift(...explanation.conditions.map(formatCondition))
  if (explanation.why) lines.push(whyText(explanation.why))
  return {
    value: explanation,
    text: lines.length > 0 ? lines.join('\n') : 'No candidates.',
    warning: warning ?? explanation.notice?.message,
  }
}

const partNames: Readonly<Record<ScorePartName, string>> = {
  constant: 'constant',
  ownWords: 'own words',
  nearbyWords: 'words nearby',
  section: 'section',
  meaning: 'meaning',
  form: 'form',
  distance: 'distance',
  text: 'words',
  vector: 'meaning',
}

function candidateLines({ path, startLine, score, logit, parts, vector, text, verdict }: Candidate, minScore: number) {
  // With three digits, a score just below the minimum could look equal to it.
  const scoreText = score.toFixed(distinguishingDigits(score, minScore, 3))
  const sum = logit === null ? `sum ${scoreText}` : `sum ${logit.toFixed(2)}, probability ${scoreText}`
  const raw = [text && `bm25 ${text.raw.toFixed(2)}`, vector && `cosine ${vector.raw.toFixed(2)}`]
  const details = [
    parts.map(({ name, contribution }) => `${partNames[name]} ${signed(contribution)}`).join(', '),
    sum,
    raw.filter(Boolean).join(', '),
    meaningText(vector),
  ]
  return [`${scoreText}  ${path}:${startLine}  ${verdictText(verdict)}`, `       ${details.filter(Boolean).join('; ')}`]
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(2)}`
}

function whyText({ path, line, candidate, reason, rank, unsearched }: NonNullable<Explanation['why']>): string {
  const place = `${path}:${line}`
  const rankText = rank === null || reason === 'returned' ? '' : `, number ${rank} of the candidates`
  if (candidate) return `${place}: ${verdictText(candidate.verdict)}${rankText}`
  if (!unsearched) return `${place}: ${reason === 'private' ? 'private, or not found' : 'not among the candidates'}`
  return `${place}: not searched: ${exclusionTexts[unsearched.reason]}${unsearched.message === undefined ? '' : ` (${unsearched.message})`}`
}

function meaningText(vector: Candidate['vector']): string {
  const words = (vector?.terms ?? []).map(
    ({ term, nearest, share }) => `${term === nearest ? term : `${term} ≈ ${nearest}`} ${share.toFixed(3)}`,
  )
  return words.length === 0 ? '' : `by meaning: ${words.slice(0, 3).join(', ')}`
}
