import { z } from 'zod'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { localDate, localTime } from '#workspace'
import { onAppError } from '#shared/util/errors.ts'
import { addedIn } from '#shared/util/file-change.ts'
import {
  clipToTokens,
  dataNotice,
  defaultAnswerTokens,
  takeFitting,
  toLabel,
  tokensForItems,
  wrapMemory,
} from '../bounded-answer.ts'
import { parametersOf, type MemoryTool, type MemoryToolContext } from './memory-tool.ts'

const weekMs = 7 * 86_400_000
const maxChanges = 100
/** Limit of changes with text: each needs a request to the history. */
const maxWithText = 10
const maxTextTokens = 250

/** Date.parse takes 31 February for 3 March. */
function isDay(text: string): boolean {
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text
}

const input = parametersOf({
  since: z
    .string()
    .refine(isDay, 'a day, such as 2026-05-03')
    .optional()
    .describe('First day, such as 2026-05-03; a week ago if omitted'),
})

export const memoryRecentTool: MemoryTool<typeof input> = {
  name: 'memory_recent',
  title: 'Recent changes of memory',
  description:
    'Lists changes of the memory, newest first: time, file, author, numbers of lines, and the added lines. Use it to catch up or to review a week.',
  input,
  async run({ since }, context) {
    const { agent, client, ask, now } = context
    const from = since === undefined ? now().getTime() - weekMs : new Date(`${since}T00:00`).getTime()
    const request = { agent, since: from, limit: maxChanges + 1, forProgram: client }
    const entries = await ask((primary) => primary.history.timeline(request)).catch(onAppError('history_off'))
    if (!entries) return { lines: ['The history is turned off in the settings.'] }
    if (entries.length === 0) return { lines: ['Nothing changed.'] }
    const changes = await Promise.all(
      entries.slice(0, maxChanges).map(async (entry, index) => {
        const text = index < maxWithText ? await addedText(context, entry) : ''
        return { head: headOf(entry), text: text === '' ? '' : `\n${wrapMemory(clipToTokens(text, maxTextTokens))}` }
      }),
    )
    const shown = takeFitting(
      changes,
      tokensForItems(defaultAnswerTokens, dataNotice),
      ({ head, text }) => head + text,
      ({ head }) => head,
    )
    const isMore = shown.length < entries.length
    const rest = isMore ? ['There are older changes. Read the notes, or ask again since a later day.'] : []
    return { lines: [dataNotice, ...shown, ...rest] }
  },
}

async function addedText({ agent, client, ask }: MemoryToolContext, { change, path }: HistoryEntry): Promise<string> {
  const { patch } = await ask((primary) => primary.history.diff({ agent, change, path, forProgram: client }))
  return addedIn(patch).join('\n').trim()
}

function headOf({ now: path, at, cause, client, added, removed }: HistoryEntry): string {
  const by = client === undefined ? causeNames[cause] : toLabel(client, 30)
  return `${localDate(new Date(at))} ${localTime(new Date(at))} · ${toLabel(path)} · ${by} · +${added} −${removed}`
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
