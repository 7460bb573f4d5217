/** What another program gets to see of a memory: a program is taken for a remote one unless the user has said otherwise (M64). */
import type { Candidate, Explanation, FileEntry, SearchResponse, Verdict } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import type { Marks, Sight } from '../visibility/index.ts'
import type { RouterBase } from './base.ts'

type App = RouterBase['app']
type Agent = Awaited<ReturnType<App['agents']['get']>>

/** False for the user, an id for a program, true for one that nobody knows. */
type Asker = boolean | string

/** What is local in all notes. @returns undefined where everything is seen */
export async function sightOf(app: App, agent: Agent, asker: Asker): Promise<Sight | undefined> {
  return (await seesAll(app, asker)) ? undefined : agent.localNotes.look()
}

/** For texts that were just read, whatever other notes there are. @returns undefined where everything is seen */
export async function marksFor(app: App, agent: Agent, asker: Asker): Promise<Marks | undefined> {
  return (await seesAll(app, asker)) ? undefined : agent.localNotes.marks()
}

async function seesAll(app: App, asker: Asker): Promise<boolean> {
  return asker === false || (typeof asker === 'string' && (await app.clients.isLocal(asker)))
}

export function seenFiles(files: FileEntry[], sight: Sight | undefined): FileEntry[] {
  return sight ? files.filter(({ path }) => !sight.notes.has(path) || !sight.notes.get(path)?.isWhole) : files
}

/** The results that it sees; nothing else that is told depends on words of what stays here. */
export async function seenResults(
  found: SearchResponse,
  agent: Agent,
  marks: Marks | undefined,
): Promise<SearchResponse> {
  if (!marks) return found
  const results = await seenOf(found.results, agent, marks)
  // How many passages have a word of the question tells of those that are not shown.
  return { ...found, results, candidates: results.length, notice: seenNotice(found.notice) }
}

/** The account of what it sees, as if there were nothing else. */
export async function seenExplanation(
  found: Explanation,
  agent: Agent,
  sight: Sight | undefined,
): Promise<Explanation> {
  if (!sight) return found
  const { why, ...rest } = found
  const candidates = renumbered(await seenOf(found.candidates, agent, sight), sight)
  const seen = { ...rest, candidates, terms: [], notice: seenNotice(found.notice) }
  if (!why) return seen
  if (!(await sees(agent, sight, { path: why.path, startLine: 1, endLine: Infinity })))
    return { ...seen, why: unseenPlace(why) }
  const { path, startLine } = why.candidate ?? {}
  const at = candidates.findIndex((one) => one.path === path && one.startLine === startLine)
  return { ...seen, why: { ...why, candidate: candidates[at] ?? null, rank: at < 0 ? null : at + 1 } }
}

async function seenOf<T extends Place>(places: readonly T[], agent: Agent, marks: Marks): Promise<T[]> {
  const isSeen = await Promise.all(places.map((place) => sees(agent, marks, place)))
  return places.filter((_, at) => isSeen[at])
}

/** A gap in the ranks, or what a factor goes by, would tell of a passage that is not shown. */
function renumbered(candidates: readonly Candidate[], sight: Sight): Candidate[] {
  const shown = candidates.flatMap(({ verdict }) => (verdict.kind === 'returned' ? [verdict.rank] : []))
  const ranks = new Map(shown.toSorted((one, other) => one - other).map((rank, at) => [rank, at + 1]))
  const isShown = (of: string | undefined) => of === undefined || !sight.notes.has(of.replace(/:[\d-]+$/, ''))
  return candidates.map((candidate): Candidate => {
    const modifiers = candidate.modifiers.filter(({ of }) => isShown(of))
    return { ...candidate, modifiers, verdict: seenVerdict(candidate.verdict, ranks) }
  })
}

function seenVerdict(verdict: Verdict, ranks: ReadonlyMap<number, number>): Verdict {
  if (verdict.kind === 'returned') return { ...verdict, rank: ranks.get(verdict.rank) ?? verdict.rank }
  if (verdict.kind !== 'folded') return verdict
  const into = ranks.get(verdict.into)
  return into === undefined ? { kind: 'beyondMaxResults' } : { ...verdict, into }
}

/** The same whatever was asked: a passage may lie across the lines of a note that are local and those that are not. */
function unseenPlace({ path, line }: NonNullable<Explanation['why']>): NonNullable<Explanation['why']> {
  return { path, line, candidate: null, rank: null, reason: 'local' }
}

function seenNotice(notice: SearchResponse['notice']): SearchResponse['notice'] {
  return notice?.code === 'query_local' || notice?.code === 'vectors_local' ? null : notice
}

interface Place {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
}

/** True where none of the lines is local. */
async function sees(agent: Agent, marks: Marks, { path, startLine, endLine }: Place): Promise<boolean> {
  try {
    const text = (await agent.readLines(path, 1, Number.MAX_SAFE_INTEGER)).lines.join('\n')
    const { isWhole, lines } = marks.of(path, text)
    if (isWhole) return false
    for (const line of lines) if (line + 1 >= startLine && line + 1 <= endLine) return false
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
