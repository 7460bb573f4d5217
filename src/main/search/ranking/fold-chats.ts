import { lazy } from '#shared/util/lazy.ts'
import { lineTerms } from '../text/terms.ts'
import { hasAnswer, type UnitVerdict } from './select-results.ts'
import type { UnitCandidate, UnitRanking, UnitSearcher } from './unit-searcher.ts'

/** Share of a chat's terms that a note must have. */
const minShare = 0.8
/** With fewer terms, equal words say little, unless the note says nothing else. */
const minTerms = 3
/** Words that ask to save something. A note made from such a message lacks them. */
const requestTerms = lazy(() =>
  termsOf(
    `please can could you just so note down that this it in mind for me remember remind reminder save keep record
    log write jot memo store add to my our the notes memory 请你您能帮我给麻烦把记住得录着一个条笔下来好了提醒备存写进到这件事`,
  ),
)

/**
 * Folds results from chats that repeat a returned note into it, and counts the others after the notes. Without the
 * folded results, the others may have no likely answer. Classic weights fold nothing.
 * @param minScore of the best result; null for the threshold of the model
 * @returns the ranking of the chats with new verdicts
 */
export function foldChats(
  chats: UnitRanking,
  notes: UnitRanking,
  units: UnitSearcher,
  minScore: number | null,
): UnitRanking {
  const returned = notes.candidates.flatMap(({ unit, verdict }) =>
    verdict.kind === 'returned' ? { rank: verdict.rank, terms: termsOf(units.embeddedTextOf(unit.id)) } : [],
  )
  const results = chats.candidates.flatMap(({ unit, verdict }) => {
    if (verdict.kind !== 'returned') return []
    const terms = termsOf(units.embeddedTextOf(unit.id))
    const repeated = chats.weights === null ? undefined : returned.find((note) => repeats(terms, note.terms))
    return { unit, rank: verdict.rank, repeated }
  })
  const isAnswered = results.some(({ unit, repeated }) => !repeated && hasAnswer([unit], minScore))
  const verdicts = new Map<number, UnitVerdict>()
  let rank = returned.length
  for (const result of results) {
    if (result.repeated) verdicts.set(result.rank, { kind: 'duplicate', rank: result.repeated.rank })
    else verdicts.set(result.rank, isAnswered ? { kind: 'returned', rank: (rank += 1) } : { kind: 'weak' })
  }
  const candidates = chats.candidates.map(({ unit, verdict }): UnitCandidate => {
    const target = 'rank' in verdict ? verdicts.get(verdict.rank) : undefined
    if (!target || !('rank' in verdict)) return { unit, verdict }
    return { unit, verdict: target.kind === 'returned' ? { kind: verdict.kind, rank: target.rank } : target }
  })
  return { ...chats, candidates }
}

const notToForget = /\b(?:don['’]t|do not|never) forget\b|(?:别|不要|勿)忘(?:[了记記])?|\n/gi

function termsOf(text: string): ReadonlySet<string> {
  const { terms, runs } = lineTerms(text.replace(notToForget, ' '))
  return new Set([...terms, ...runs.flatMap((run) => [...run])])
}

function repeats(terms: ReadonlySet<string>, note: ReadonlySet<string>): boolean {
  const shared = terms.intersection(note).size
  const said = terms.difference(requestTerms()).union(terms.intersection(note)).size
  const isWhole = shared === note.size && said === shared
  return shared > 0 && (isWhole || said >= minTerms) && shared >= minShare * said
}
