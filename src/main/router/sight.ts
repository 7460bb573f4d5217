/** What another program gets to see of a memory: a program is taken for a remote one unless the user has said otherwise (M64). */
import type { Explanation, FileEntry, SearchResponse } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import type { Sight } from '../visibility/index.ts'
import type { RouterBase } from './base.ts'

type App = RouterBase['app']
type Agent = Awaited<ReturnType<App['agents']['get']>>

/** @param asker false for the user, an id for a program, true for one that nobody knows @returns undefined where everything is seen */
export async function sightOf(app: App, agent: Agent, asker: boolean | string): Promise<Sight | undefined> {
  if (asker === false || (typeof asker === 'string' && (await app.clients.isLocal(asker)))) return undefined
  return agent.localNotes.look()
}

export function seenFiles(files: FileEntry[], sight: Sight | undefined): FileEntry[] {
  return sight ? files.filter(({ path }) => !sight.notes.has(path) || !sight.notes.get(path)?.isWhole) : files
}

export async function seenResults(
  found: SearchResponse,
  agent: Agent,
  sight: Sight | undefined,
): Promise<SearchResponse> {
  if (!sight) return found
  const isSeen = await Promise.all(found.results.map((result) => sees(agent, sight, result)))
  return { ...found, results: found.results.filter((_, at) => isSeen[at]) }
}

export async function seenExplanation(
  found: Explanation,
  agent: Agent,
  sight: Sight | undefined,
): Promise<Explanation> {
  if (!sight) return found
  const isSeen = await Promise.all(found.candidates.map((candidate) => sees(agent, sight, candidate)))
  return { ...found, candidates: found.candidates.filter((_, at) => isSeen[at]) }
}

interface Place {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
}

/** True where none of the lines is local. */
async function sees(agent: Agent, sight: Sight, { path, startLine, endLine }: Place): Promise<boolean> {
  try {
    const text = (await agent.readLines(path, 1, Number.MAX_SAFE_INTEGER)).lines.join('\n')
    const { isWhole, lines } = sight.of(path, text)
    if (isWhole) return false
    for (const line of lines) if (line + 1 >= startLine && line + 1 <= endLine) return false
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
