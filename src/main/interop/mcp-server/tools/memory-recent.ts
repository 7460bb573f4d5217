import { z } from 'zod'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { bounded, clipped, dataNotice, fenced, label, roomFor } from '../bounded-answer.ts'
import { leftOutSchema, maxTokensParameter, type MemoryTool, type ToolContext } from './memory-tool.ts'

const dayMs = 86_400_000
/** Limit of changes with text: each needs a request to the history. */
const maxTold = 10
const toldTokens = 250

/** Limit of the contract for one request. */
const mostEntries = 1000
/** Cursor `COMMIT` continues before this commit; `COMMIT+N` continues in it, after N files. */
const placePattern = /^([\da-f]{40})(?:\+(\d{1,6}))?$/

const input = z.object({
  days: z.number().positive().max(3650).default(7).describe('Number of days to look back'),
  limit: z.number().int().min(1).max(100).default(20).describe('Maximum number of changes'),
  before: z
    .string()
    .regex(placePattern, 'use before as leftOut returned it')
    .optional()
    .describe('Cursor for older changes, from leftOut of the previous answer'),
  maxTokens: maxTokensParameter,
})

const changeSchema = z.object({
  path: z.string(),
  at: z.string().describe('ISO 8601'),
  by: z.string(),
  added: z.number().int().describe('Lines'),
  removed: z.number().int().describe('Lines'),
  text: z.string().optional().describe('The added lines, or the beginning of them'),
})
type Shown = z.infer<typeof changeSchema>

const output = z.object({
  changes: z.array(changeSchema).describe('Newest first'),
  notice: z.string(),
  hint: z.string().optional(),
  leftOut: leftOutSchema,
})

export const memoryRecent: MemoryTool<typeof input, typeof output> = {
  name: 'memory_recent',
  title: 'Recent changes of memory',
  description:
    'Lists recent changes of the memory, newest first: which file, when, by whom, and the lines that were added. Use it to catch up at the start of a session, or to review a week.',
  input,
  output,
  isReadOnly: true,
  async run({ days, limit, before, maxTokens }, context) {
    const since = context.now().getTime() - days * dayMs
    const recorded = await recordedChanges(context, since, limit, before)
    if (!recorded) return { changes: [], notice: dataNotice, hint: 'The history is turned off in the settings.' }
    const page = recorded.entries.slice(0, limit)
    const told = await Promise.all(
      page.map(async (entry, index) => shown(entry, index < maxTold ? await addedBy(context, entry) : '')),
    )
    const rest = { notice: dataNotice, ...(told.length === 0 ? { hint: nothingText(days, before) } : {}) }
    const { kept } = bounded(
      told,
      roomFor(maxTokens, rest),
      (change): Shown => change,
      ({ text: _text, ...change }): Shown => change,
    )
    const cut = kept.filter(
      ({ added, text }) => added > 0 && (text === undefined || text.endsWith('…\n</memory>')),
    ).length
    const next = nextOf(recorded, kept.length)
    const what = [
      ...(next === undefined ? [] : [`older changes of the last ${days} days`]),
      ...(cut > 0 ? [`all or the end of the text of ${cut} changes`] : []),
    ]
    const howToGet = [
      ...(next === undefined ? [] : [`memory_recent with days: ${days}, before: "${next}"`]),
      ...(cut > 0 ? ['memory_get reads the notes'] : []),
    ]
    const leftOut = { what: what.join('; '), howToGet: howToGet.join('; ') }
    return { changes: kept, ...rest, ...(what.length > 0 ? { leftOut } : {}) }
  },
}

function nothingText(days: number, before: string | undefined): string {
  return before === undefined ? `Nothing changed in the last ${days} days.` : `Nothing older in the last ${days} days.`
}

interface Recorded {
  /** Newest first; one more than requested if there are more. */
  readonly entries: readonly HistoryEntry[]
  /** Number of files of the first commit that earlier answers listed. */
  readonly told: number
  /** True if the history may have more entries. */
  readonly isCut: boolean
}

/** @returns undefined while the history is turned off */
async function recordedChanges(
  { agent, client, ask }: ToolContext,
  since: number,
  limit: number,
  place: string | undefined,
): Promise<Recorded | undefined> {
  const [, commit, part] = placePattern.exec(place ?? '') ?? []
  const told = Number(part ?? 0)
  const begin = commit === undefined ? {} : { [part === undefined ? 'before' : 'from']: commit }
  const most = Math.min(mostEntries, told + limit + 1)
  try {
    const all = await ask((owner) =>
      owner.history.timeline({ agent, since, ...begin, limit: most, forProgram: client }),
    )
    const entries = all.slice(told)
    return { entries, told, isCut: all.length >= most }
  } catch (error) {
    if (error instanceof AppError && error.code === 'history_off') return undefined
    throw error
  }
}

function nextOf({ entries, told, isCut }: Recorded, count: number): string | undefined {
  const last = entries[count - 1]
  const next = entries[count]
  if (!last || (!next && !isCut)) return undefined
  if (next?.commit !== last.commit) return last.commit
  // An answer can list a part of a commit with many files.
  const ofCommit = entries.slice(0, count).filter(({ commit }) => commit === last.commit).length
  return `${last.commit}+${ofCommit + (entries[0]?.commit === last.commit ? told : 0)}`
}

async function addedBy({ agent, client, ask }: ToolContext, { commit, path }: HistoryEntry): Promise<string> {
  const { patch } = await ask((owner) => owner.history.diff({ agent, commit, path, forProgram: client }))
  const lines = patch.split('\n').filter((line) => line.startsWith('+') && !line.startsWith('+++'))
  return lines
    .map((line) => line.slice(1))
    .join('\n')
    .trim()
}

function shown({ now: path, at, cause, client, added, removed }: HistoryEntry, text: string): Shown {
  const by = client === undefined ? names[cause] : label(client, 30)
  const change = { path: label(path), at: new Date(at).toISOString(), by, added, removed }
  return text === '' ? change : { ...change, text: fenced(clipped(text, toldTokens)) }
}

const names: Readonly<Record<HistoryEntry['cause'], string>> = {
  user: 'the user',
  agent: "the user's agent in Commonplace",
  flush: "the user's agent in Commonplace",
  capture: 'the user, by quick capture',
  import: 'an import',
  template: 'Commonplace, when the memory was created',
  adopted: 'unknown: it existed before Commonplace recorded a history',
  client: 'another program',
  upkeep: 'the user, accepting a suggestion of Commonplace',
  outside: 'a program outside Commonplace',
}
