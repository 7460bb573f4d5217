import type { Candidate, Explanation } from '#shared/contract/index.ts'
import { parseLines } from '#shared/util/file-lines.ts'
import { formatCondition, verdictText } from '#shared/util/format-result.ts'
import { distinguishingDigits } from '#shared/util/rounding.ts'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import { searchOptions, type CommonFlags, type SearchFlags } from '../flags.ts'
import { UsageError, type Output } from '../cli-output.ts'
import { exclusionText, sayResult, t } from '../../texts.ts'
import { waitForVectors } from '../vectors.ts'

/** @throws UsageError unless `--why` is PATH:LINE (1-based), AppError `index_unavailable` */
export async function explain(
  { client }: PrimaryClient,
  { agent, ...flags }: CommonFlags & SearchFlags & { readonly why?: string },
  query: string,
): Promise<Output> {
  const place = flags.why === undefined ? undefined : parseLines(flags.why)
  if (flags.why !== undefined && !place) throw new UsageError(t('usage.why', { given: flags.why }))
  const why = place && { path: place.path, line: place.startLine }
  const { vectorWaitMs, warning } = await waitForVectors(client, { agent }, flags.wait)
  const options = { ...searchOptions(flags), vectorWaitMs }
  const explanation = await client.search.explain({ agent, query, options, why })
  const lines = explanation.candidates.flatMap((candidate) => candidateLines(candidate, explanation.minScore))
  lines.unshift(...explanation.conditions.map((one) => formatCondition(one, sayResult)))
  if (explanation.why) lines.push(whyText(explanation.why))
  return {
    value: explanation,
    text: lines.length > 0 ? lines.join('\n') : t('search.noCandidates'),
    warning: warning ?? explanation.notice?.message,
  }
}

function candidateLines({ path, startLine, score, logit, parts, vector, text, verdict }: Candidate, minScore: number) {
  // With three digits, a score just below the minimum could look equal to it.
  const scoreText = score.toFixed(distinguishingDigits(score, minScore, 3))
  const sum = logit === null ? scoreText : logit.toFixed(2)
  const raw = [text && `bm25 ${text.raw.toFixed(2)}`, vector && t('explain.cosine', { cosine: vector.raw.toFixed(2) })]
  const details = [
    parts.map(({ name, contribution }) => `${t(`explain.part.${name}`)} ${signed(contribution)}`).join(', '),
    t(logit === null ? 'explain.sum' : 'explain.probability', { sum, score: scoreText }),
    raw.filter(Boolean).join(', '),
    meaningText(vector),
  ]
  return [
    `${scoreText}  ${path}:${startLine}  ${verdictText(verdict, sayResult)}`,
    `       ${details.filter(Boolean).join('; ')}`,
  ]
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(2)}`
}

function whyText({ path, line, candidate, reason, rank, unsearched }: NonNullable<Explanation['why']>): string {
  const place = `${path}:${line}`
  const rankText = rank === null || reason === 'returned' ? '' : t('explain.rank', { rank })
  if (candidate) return `${place}: ${verdictText(candidate.verdict, sayResult)}${rankText}`
  if (!unsearched) return `${place}: ${t(reason === 'private' ? 'explain.private' : 'explain.notCandidate')}`
  return `${place}: ${exclusionText(unsearched)}`
}

function meaningText(vector: Candidate['vector']): string {
  const words = (vector?.terms ?? []).map(
    ({ term, nearest, share }) => `${term === nearest ? term : `${term} ≈ ${nearest}`} ${share.toFixed(3)}`,
  )
  return words.length === 0 ? '' : t('explain.byMeaning', { words: words.slice(0, 3).join(', ') })
}
