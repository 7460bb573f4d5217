/** The tool that tells what changed lately. */
import { z } from 'zod'
import type { HistoryEntry } from '../../../shared/contract/index.ts'
import { AppError } from '../../../shared/errors.ts'
import { bounded, clipped, dataNotice, fenced, label, roomFor } from '../answer.ts'
import { leftOutSchema, maxTokensParameter, type MemoryTool, type ToolContext } from './tool.ts'

const dayMs = 86_400_000
/** Changes of which the lines are told; each costs a look into the history. */
const maxTold = 10
/** Tokens of the lines of one change. */
const toldTokens = 250

const input = z.object({
  days: z.number().positive().max(3650).default(7).describe('How far back'),
  limit: z.number().int().min(1).max(100).default(20).describe('How many changes at most'),
  maxTokens: maxTokensParameter,
})

const changeSchema = z.object({
  path: z.string(),
  at: z.string().describe('ISO 8601'),
  by: z.string(),
  added: z.number().int().describe('Lines'),
  removed: z.number().int().describe('Lines'),
  text: z.string().optional().describe('The lines that were added, or the beginning of them'),
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
    'Tells what changed in the memory lately, newest first: which file, when, by whom, and the lines that were added. Use it to catch up at the start of a session, or to review a week.',
  input,
  output,
  isReadOnly: true,
  async run({ days, limit, maxTokens }, context) {
    const since = context.now().getTime() - days * dayMs
    const recorded = await recordedChanges(context, since, limit)
    if (!recorded) return { changes: [], notice: dataNotice, hint: 'The history is turned off in the settings.' }
    const told = await Promise.all(
      recorded.map(async (entry, index) => shown(entry, index < maxTold ? await addedBy(context, entry) : '')),
    )
    const rest = {
      notice: dataNotice,
      ...(told.length === 0 ? { hint: `Nothing changed in the last ${days} days.` } : {}),
    }
    const { kept, left } = bounded(
      told,
      roomFor(maxTokens, rest),
      (change): Shown => change,
      ({ text: _text, ...change }): Shown => change,
    )
    const cut = kept.filter(
      ({ added, text }) => added > 0 && (text === undefined || text.endsWith('…\n</memory>')),
    ).length
    const leftOut = {
      what: [
        ...(left > 0 ? [`${left} older changes`] : []),
        ...(cut > 0 ? [`all or the end of the text of ${cut} changes`] : []),
      ].join('; '),
      howToGet: 'fewer days, a smaller limit, or a larger maxTokens; memory_get reads the notes',
    }
    return { changes: kept, ...rest, ...(left + cut > 0 ? { leftOut } : {}) }
  },
}

async function recordedChanges({ agent, client, ask }: ToolContext, since: number, limit: number) {
  try {
    return await ask((owner) => owner.history.timeline({ agent, since, limit, forProgram: client }))
  } catch (error) {
    if (error instanceof AppError && error.code === 'history_off') return undefined
    throw error
  }
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
  template: 'Commonplace, when the memory was begun',
  adopted: 'nobody: it was there before Commonplace kept a history',
  client: 'another program',
  upkeep: 'the user, accepting a proposal of Commonplace',
  outside: 'somebody outside of Commonplace',
}
