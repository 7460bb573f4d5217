import type { Candidate, Explanation, IndexExclusion, Verdict } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { distinguishingDigits } from '#shared/util/rounding.ts'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import { searchOptions, type CommonFlags, type ExplainFlags } from '../flags.ts'
import { conditionText, warningOf, type Output } from '../cli-output.ts'
import { waitForVectors } from '../vectors.ts'

/** @throws AppError `input_invalid` unless `--why` is PATH:LINE (1-based), `index_unavailable` */
export async function explain(
  { client }: PrimaryClient,
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
  const requestedCandidate = candidates.find(
    ({ path, startLine, endLine }) => why?.path === path && startLine <= why.line && why.line <= endLine,
  )
  const value = {
    ...explanation,
    candidates,
    ...(explanation.why ? { why: { ...explanation.why, candidate: requestedCandidate ?? null } } : {}),
  }
  const lines = candidates.map(
    ({ path, startLine, endLine, score, vector, text, lift, verdict, modifiers, question }) => {
      const scoreText = score.toFixed(distinguishingDigits(score, explanation.minScore, 3))
      const parts = [`vector ${scorePartText(vector)}`, `text ${scorePartText(text)}`]
      if (lift > 0) parts.push(`lift ${lift.toFixed(3)}`)
      const remarks = [verdict, ...meaningTexts(vector), ...modifiers.map(modifierText)]
      if (question !== undefined) remarks.push(`without the question itself: ${question}`)
      return [scoreText, ...parts, `${path}:${startLine}-${endLine}`, remarks.join('; ')].join('  ')
    },
  )
  lines.unshift(...explanation.conditions.map(conditionText))
  if (explanation.why) lines.push(whyText(explanation.why))
  return {
    value,
    text: lines.length > 0 ? lines.join('\n') : 'No candidates.',
    ...warningOf(warning, explanation.notice),
  }
}

function scorePartText(part: { readonly score: number; readonly contribution: number } | null): string {
  if (!part) return 'off'
  const weight = part.score > 0 ? part.contribution / part.score : 0
  return part.score > 0 && weight < 0.9999 ? `${part.score.toFixed(3)} × ${weight.toFixed(2)}` : part.score.toFixed(3)
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
      return verdict.isEcho ? `folded into #${verdict.into}: an echo of it` : `folded into #${verdict.into}`
    case 'outsideFilter':
      return `outside the filter: ${verdict.by.join(' ')}`
  }
}

function whyText({ path, line, reason, rank, unsearched }: NonNullable<Explanation['why']>): string {
  const place = `${path}:${line}`
  if (!unsearched) return `${place}: ${reason}, rank ${rank ?? '–'}`
  return `${place}: not searched: ${unsearchedText[unsearched.reason]}${unsearched.message === undefined ? '' : ` (${unsearched.message})`}`
}

function meaningTexts(vector: Candidate['vector']): string[] {
  const topTerms = vector?.terms?.slice(0, 3) ?? []
  if (topTerms.length === 0) return []
  const words = topTerms.map(
    ({ term, nearest, share }) => `${term === nearest ? term : `${term} ≈ ${nearest}`} ${share.toFixed(3)}`,
  )
  return [`by meaning: ${words.join(', ')}`]
}

function modifierText({ name, factor, of }: Candidate['modifiers'][number]): string {
  return `${name} ×${factor.toFixed(3)}${of === undefined ? '' : ` (${of})`}`
}

const unsearchedText: Readonly<Record<IndexExclusion['reason'], string>> = {
  project: 'it is in every request in full; move text that should be searchable to MEMORY.md or another note',
  scope: 'memory.scope is `memory`, which searches only MEMORY.md and memory/; `workspace` searches all notes',
  ignored: 'the vault’s own program or vault.ignored excludes it',
  hidden: 'hidden folders, the trash and node_modules are excluded; move the file to search it',
  notMarkdown: 'only Markdown is searched',
  unreadable: 'it cannot be read',
  sessionsOff: 'conversations are not searched; memory.sessions: true searches them',
  outside: 'it is in no folder of this memory; memory.extraPaths adds folders',
  missing: 'there is no such file',
  pending: 'it is not indexed yet; `index` waits for it',
  emptyLine: 'this line is empty',
}

function parsePlace(place: string): { path: string; line: number } {
  const match = /^(?<path>.+):(?<line>[1-9]\d*)$/.exec(place)
  if (!match?.groups?.['path'])
    throw new AppError('input_invalid', `--why ${place}: expected path:line, such as MEMORY.md:12`)
  return { path: match.groups['path'], line: Number(match.groups['line']) }
}
