import { z } from 'zod'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { onAppError } from '#platform'
import { addedIn } from '#shared/util/file-change.ts'
import { takeFitting, clip, dataNotice, wrapMemory, toLabel, tokensForItems } from '../bounded-answer.ts'
import { leftOutSchema, maxTokensParameter, type MemoryTool, type ToolContext } from './memory-tool.ts'

const dayMs = 86_400_000
/** Limit of changes with text: each needs a request to the history. */
const maxWithText = 10
/** Limit of the text of one change, tokens. */
const maxTextTokens = 250

/** Limit of changes in one request to the history. */
const maxEntries = 1000
/** The cursor `COMMIT` continues before this commit; `COMMIT+N` continues in it, after N files. */
const cursorPattern = /^([\da-f]{40})(?:\+(\d{1,6}))?$/

const input = z.object({
  days: z.number().positive().max(3650).default(7).describe('Number of days to look back'),
  limit: z.number().int().min(1).max(100).default(20).describe('Maximum number of changes'),
  before: z
    .string()
    .regex(cursorPattern, 'use before as leftOut returned it')
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
type ShownChange = z.infer<typeof changeSchema>

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
    const recorded = await readChanges(context, since, limit, before)
    if (!recorded) return { changes: [], notice: dataNotice, hint: 'The history is turned off in the settings.' }
    const page = recorded.entries.slice(0, limit)
    const shownChanges = await Promise.all(
      page.map(async (entry, index) =>
        toShownChange(entry, index < maxWithText ? await addedText(context, entry) : ''),
      ),
    )
    const noChanges = `Nothing ${before === undefined ? 'changed' : 'older'} in the last ${days} days.`
    const hint = shownChanges.length === 0 ? { hint: noChanges } : {}
    const otherFields = { notice: dataNotice, ...hint }
    const { shown } = takeFitting(
      shownChanges,
      tokensForItems(maxTokens, otherFields),
      (change): ShownChange => change,
      ({ text: _text, ...change }): ShownChange => change,
    )
    const cutCount = shown.filter(
      ({ added, text }) => added > 0 && (text === undefined || text.endsWith('…\n</memory>')),
    ).length
    const next = nextCursor(recorded, shown.length)
    const what = [
      ...(next === undefined ? [] : [`older changes of the last ${days} days`]),
      ...(cutCount > 0 ? [`all or the end of the text of ${cutCount} changes`] : []),
    ]
    const howToGet = [
      ...(next === undefined ? [] : [`memory_recent with days: ${days}, before: "${next}"`]),
      ...(cutCount > 0 ? ['memory_get reads the notes'] : []),
    ]
    const leftOut = { what: what.join('; '), howToGet: howToGet.join('; ') }
    return { changes: shown, ...otherFields, ...(what.length > 0 ? { leftOut } : {}) }
  },
}

/**
 * @returns `entries`: newest first, one more than requested if there are more; `listedFiles`: number of files of the
 * first commit that earlier answers have listed; undefined while the history is turned off
 */
async function readChanges(
  { agent, client, ask }: ToolContext,
  since: number,
  limit: number,
  cursor: string | undefined,
) {
  const [, commit, fileOffset] = cursorPattern.exec(cursor ?? '') ?? []
  const listedFiles = Number(fileOffset ?? 0)
  const start = commit === undefined ? {} : { [fileOffset === undefined ? 'before' : 'from']: commit }
  const entryLimit = Math.min(maxEntries, listedFiles + limit + 1)
  const request = { agent, since, ...start, limit: entryLimit, forProgram: client }
  const all = await ask((primary) => primary.history.timeline(request)).catch(onAppError('history_off'))
  return all && { entries: all.slice(listedFiles), listedFiles, mayHaveMore: all.length >= entryLimit }
}

type RecordedChanges = NonNullable<Awaited<ReturnType<typeof readChanges>>>

function nextCursor({ entries, listedFiles, mayHaveMore }: RecordedChanges, count: number): string | undefined {
  const last = entries[count - 1]
  const next = entries[count]
  if (!last || (!next && !mayHaveMore)) return undefined
  if (next?.commit !== last.commit) return last.commit
  // An answer can list a part of a commit with many files.
  const filesOfCommit = entries.slice(0, count).filter(({ commit }) => commit === last.commit).length
  return `${last.commit}+${filesOfCommit + (entries[0]?.commit === last.commit ? listedFiles : 0)}`
}

async function addedText({ agent, client, ask }: ToolContext, { commit, path }: HistoryEntry): Promise<string> {
  const { patch } = await ask((primary) => primary.history.diff({ agent, commit, path, forProgram: client }))
  return addedIn(patch).join('\n').trim()
}

function toShownChange({ now: path, at, cause, client, added, removed }: HistoryEntry, text: string): ShownChange {
  const by = client === undefined ? causeNames[cause] : toLabel(client, 30)
  const change = { path: toLabel(path), at: new Date(at).toISOString(), by, added, removed }
  return text === '' ? change : { ...change, text: wrapMemory(clip(text, maxTextTokens)) }
}

const causeNames: Readonly<Record<HistoryEntry['cause'], string>> = {
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
