/**
 * Ranks superseded passages below their successors. If a passage's best line, or its whole note, is marked as
 * superseded, the passage keeps part of its score and its successor gets the full score. Chains of successors are
 * followed to the end. Pure: the caller reads the texts.
 */
import {
  matchesQuote,
  mayBeSuperseded,
  supersededLine,
  supersededNote,
  type Superseded,
} from '#shared/markdown/superseded.ts'
import type { Candidate } from '#shared/contract/index.ts'

/** Share of the score that a superseded passage keeps: enough to be shown, but below its successor. */
const oldShare = 0.9
/** Maximum length of a chain, against cycles. */
const maxSteps = 8

export interface Passage {
  readonly id: number
  readonly path: string
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
}

export interface Supersession {
  readonly until: string
  /** `path:line` of the successor at the end of the chain; undefined if none is named. */
  readonly by: string | undefined
  readonly successor: { readonly id: number; readonly line: number } | undefined
}

export interface SupersessionTexts {
  readonly textOf: (id: number) => string
  readonly headOf: (path: string) => string
  /** Returns the passage with a line (1-based). */
  readonly passageAt: (path: string, line: number) => Passage | undefined
  readonly passagesOf: (path: string) => readonly Passage[]
}

/** Returns undefined if the passage is not superseded at this line. @param line 1-based, in the file */
export function supersessionOf(passage: Passage, line: number, texts: SupersessionTexts): Supersession | undefined {
  const ownMark = supersededAt(passage, line, texts)
  if (!ownMark) return undefined
  let last = ownMark
  let from = passage.path
  let at: { passage: Passage; line: number } | undefined
  for (let step = 0; step < maxSteps && last.by; step += 1) {
    at = resolve(from, last.by, texts)
    const next = at && supersededAt(at.passage, at.line, texts)
    if (!at || !next) break
    from = at.passage.path
    last = next
    // Reports the end of the chain, even if it names no successor.
    if (!next.by) at = undefined
  }
  const isSame = at?.passage.id === passage.id && at.line === line
  return {
    until: ownMark.until,
    by: at ? `${at.passage.path}:${at.line}` : last.by && formatLocation(last.by),
    successor: at && !isSame ? { id: at.passage.id, line: at.line } : undefined,
  }
}

function formatLocation({ path, line }: NonNullable<Superseded['by']>): string {
  return line === undefined ? path : `${path}:${line}`
}

function supersededAt(
  { id, path, startLine }: Passage,
  line: number,
  { textOf, headOf }: SupersessionTexts,
): Superseded | undefined {
  const text = textOf(id)
  const ownMark = mayBeSuperseded(text) ? supersededLine(text.split('\n')[line - startLine] ?? '') : undefined
  return ownMark ?? supersededNote(headOf(path))
}

/** Paths are relative to the workspace or to the note's own folder. In a shared memory they begin with its name. */
function resolve(from: string, { path, line = 1, text }: NonNullable<Superseded['by']>, texts: SupersessionTexts) {
  const folder = from.slice(0, from.lastIndexOf('/') + 1)
  const shared = /^@[^/]+\//.exec(from)?.[0] ?? ''
  for (const candidate of new Set([shared + path, path, folder + path])) {
    const found = text === undefined ? undefined : findQuote(candidate, text, line, texts)
    if (found) return found
    const passage = texts.passageAt(candidate, line)
    if (passage) return { passage, line: Math.max(line, passage.startLine) }
  }
  return undefined
}

/** Finds the quoted line: at its original place, or the occurrence nearest to it. */
function findQuote(path: string, quote: string, line: number, { passageAt, passagesOf, textOf }: SupersessionTexts) {
  const passageAtLine = passageAt(path, line)
  if (passageAtLine && matchesQuote(textOf(passageAtLine.id).split('\n')[line - passageAtLine.startLine] ?? '', quote))
    return { passage: passageAtLine, line }
  let best: { readonly passage: Passage; readonly line: number } | undefined
  for (const passage of passagesOf(path))
    for (const [offset, text] of textOf(passage.id).split('\n').entries()) {
      const place = passage.startLine + offset
      if (best && Math.abs(best.line - line) <= Math.abs(place - line)) continue
      if (matchesQuote(text, quote)) best = { passage, line: place }
    }
  return best
}

interface Scored {
  readonly input: Passage
  readonly lift: number
  readonly modifiers: Candidate['modifiers']
  readonly score: number
  /** Line around which the snippet is cut: 1-based, in the file. */
  readonly shownLine?: number | undefined
  readonly succession?: Supersession | undefined
}

/**
 * Lowers superseded passages and gives their scores to their successors.
 * @param scored in any order
 * @param successionOf called for passages that reach `minScore`
 * @returns the same passages, and the ids of successors that are not among them
 */
export function replaceSuperseded<T extends Scored>(
  scored: readonly T[],
  minScore: number,
  successionOf: (candidate: T) => Supersession | undefined,
): { readonly scored: T[]; readonly missing: ReadonlySet<number> } {
  const supersessions = new Map<number, Supersession>()
  const successorScores = new Map<number, { readonly score: number; readonly line: number; readonly of: string }>()
  const missing = new Set<number>()
  const known = new Set(scored.map(({ input }) => input.id))
  for (const candidate of scored) {
    if (candidate.score < minScore) continue
    const succession = successionOf(candidate)
    if (!succession) continue
    const { id, path, startLine, endLine } = candidate.input
    const { successor } = succession
    // The successor is in the same passage, so only the snippet moves to its line.
    if (successor?.id === id) {
      successorScores.set(id, { score: 0, line: successor.line, of: '' })
      continue
    }
    supersessions.set(id, succession)
    if (!successor) continue
    if (!known.has(successor.id)) missing.add(successor.id)
    if (candidate.score > (successorScores.get(successor.id)?.score ?? -1))
      successorScores.set(successor.id, {
        score: candidate.score,
        line: successor.line,
        of: `${path}:${startLine}-${endLine}`,
      })
  }
  if (supersessions.size === 0 && successorScores.size === 0) return { scored: [...scored], missing }
  const changed = scored.map((candidate): T => {
    const succession = supersessions.get(candidate.input.id)
    if (succession) {
      const modifier = { name: 'superseded' as const, factor: oldShare, of: succession.by }
      return {
        ...candidate,
        succession,
        modifiers: [...candidate.modifiers, modifier],
        score: candidate.score * oldShare,
      }
    }
    const raise = successorScores.get(candidate.input.id)
    return raise ? { ...raiseScore(candidate, raise), shownLine: raise.line } : candidate
  })
  return { scored: changed, missing }
}

function raiseScore<T extends Scored>(candidate: T, { score, of }: { readonly score: number; readonly of: string }): T {
  if (score <= candidate.score) return candidate
  if (candidate.score > 0) {
    const modifier = { name: 'successor' as const, factor: score / candidate.score, of }
    return { ...candidate, modifiers: [...candidate.modifiers, modifier], score }
  }
  // The passage has a score of 0, so a factor can't raise it.
  const factor = candidate.modifiers.reduce((product, one) => product * one.factor, 1)
  const modifier = { name: 'successor' as const, factor: 1, of }
  return { ...candidate, lift: candidate.lift + score / factor, modifiers: [...candidate.modifiers, modifier], score }
}
