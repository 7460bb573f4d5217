import { z } from 'zod'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { onAppError } from '#shared/util/errors.ts'
import { addedIn } from '#shared/util/file-change.ts'
import { takeFitting, clipToTokens, dataNotice, wrapMemory, toLabel, tokensForItems } from '../bounded-answer.ts'
import { leftOutSchema, maxTokensParameter, type MemoryTool, type MemoryToolContext } from './memory-tool.ts'

const dayMs = 86_400_000
/** Limit of changes with text: each needs a request to the history. */
const maxWithText = 10
const maxTextTokens = 250

const input = z.object({
  days: z.number().positive().max(3650).default(7).describe('Number of days to look back'),
  limit: z.number().int().min(1).max(100).default(20).describe('Maximum number of changes'),
  before: z.number().int().min(1).optional().describe('Cursor for older changes, from leftOut of the previous answer'),
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

export const memoryRecentTool: MemoryTool<typeof input, typeof output> = {
  name: 'memory_recent',
  title: 'Recent changes of memory',
  description:
    'Lists recent changes of the memory, newest first: which file, when, by whom, and the lines that were added. Use it to catch up at the start of a session, or to review a week.',
  input,
  output,
  async run({ days, limit, before, maxTokens }, context) {
    const since = context.now().getTime() - days * dayMs
    const { agent, client, ask } = context
    // One more than requested, to know whether there are older ones.
    const request = { agent, since, before, limit: limit + 1, forProgram: client }
    const entries = await ask((primary) => primary.history.timeline(request)).catch(onAppError('history_off'))
    if (!entries) return { changes: [], notice: dataNotice, hint: 'The history is turned off in the settings.' }
    const shownChanges = await Promise.all(
      entries
        .slice(0, limit)
        .map(async (entry, index) => toShownChange(entry, index < maxWithText ? await addedText(context, entry) : '')),
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
    const isCut = ({ added, text = '…\n</memory>' }: ShownChange) => added > 0 && text.endsWith('…\n</memory>')
    const cutCount = shown.filter(isCut).length
    const next = entries.length > shown.length ? entries[shown.length - 1]?.id : undefined
    const omitted = [
      next !== undefined && [
        `older changes of the last ${days} days`,
        `memory_recent with days: ${days}, before: ${next}`,
      ],
      cutCount > 0 && [`all or the end of the text of ${cutCount} changes`, 'memory_get reads the notes'],
    ].filter((pair) => pair !== false)
    const [what = '', howToGet = ''] = [0, 1].map((at) => omitted.map((pair) => pair[at]).join('; '))
    return { changes: shown, ...otherFields, ...(what === '' ? {} : { leftOut: { what, howToGet } }) }
  },
}

async function addedText({ agent, client, ask }: MemoryToolContext, { change, path }: HistoryEntry): Promise<string> {
  const { patch } = await ask((primary) => primary.history.diff({ agent, change, path, forProgram: client }))
  return addedIn(patch).join('\n').trim()
}

function toShownChange({ now: path, at, cause, client, added, removed }: HistoryEntry, text: string): ShownChange {
  const by = client === undefined ? causeNames[cause] : toLabel(client, 30)
  const change = { path: toLabel(path), at: new Date(at).toISOString(), by, added, removed }
  return text === '' ? change : { ...change, text: wrapMemory(clipToTokens(text, maxTextTokens)) }
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
  unrecorded: 'unknown: it was not recorded because the history was paused',
}
