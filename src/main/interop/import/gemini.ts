/**
 * Chats with Gemini in a Google Takeout. The entries of the activity (`MyActivity.json`) name no chat; those of a day
 * become one note. The conversation history of Workspace accounts (`conversation_1.txt`) has chats. Google documents
 * neither form; both are those of exports of 2026.
 */
import { z } from 'zod'
import { listAt, valueAt } from '#shared/util/json.ts'
import { localDate } from '#workspace'
import {
  dayId,
  hasText,
  linkToFile,
  messageOf,
  toDate,
  type CountOmitted,
  type FileOf,
  type ImportedChat,
} from './chats.ts'
import { toNote } from './html-notes.ts'

const entrySchema = z.looseObject({
  header: z.string(),
  title: z.string(),
  time: z.string(),
  safeHtmlItem: z.array(z.looseObject({ html: z.string() })).catch([]),
  attachedFiles: z.array(z.unknown()).catch([]),
})

export type GeminiEntry = z.infer<typeof entrySchema>

/** The word before a prompt. An account in another language has another one, and then the answer marks a prompt. */
const promptWord = /^(?:Prompted with:|Prompted|Asked Gemini:|Asked Bard:|Asked|Said)\s+/
/** Words before actions that are no prompts. */
const otherWord =
  /^(?:Created|Used|Added|Gave|Selected|Shared|Deleted|Viewed|Visited|Searched|Edited|Renamed|Exported)\b/

/** @returns undefined if the value is no entry of Gemini, also one of another product */
export function toGeminiEntry(value: unknown): GeminiEntry | undefined {
  const { data } = entrySchema.safeParse(value)
  return data && /gemini|bard/i.test(data.header) ? data : undefined
}

/** Returns a chat for each day. Entries that are no prompts are counted. */
export function readGeminiActivity(
  entries: readonly GeminiEntry[],
  count: CountOmitted,
  fileOf: FileOf,
): ImportedChat[] {
  const dated = entries.flatMap((entry) => {
    const at = toDate(entry.time)
    if (!at) count('unreadable')
    return at ? [{ ...entry, at }] : []
  })
  const sorted = dated.toSorted((one, other) => one.at.getTime() - other.at.getTime())
  return [...Map.groupBy(sorted, ({ at }) => localDate(at))].map(([day, ofDay]) => ({
    id: `${dayId}gemini-${day}`,
    title: 'Gemini',
    createdAt: ofDay[0]?.at,
    messages: ofDay.flatMap(({ title, safeHtmlItem, attachedFiles }) => {
      const answer = safeHtmlItem.map(({ html }) => toNote(html)).join('\n\n')
      if (otherWord.test(title) || (answer === '' && !promptWord.test(title))) {
        count('tool')
        return []
      }
      const prompt = title.replace(promptWord, '').replace(/\s*Attached \d+ files?\.?\s*$/, '')
      const files = attachedFiles.flatMap((name) => linkToFile(fileOf(String(name)), String(name), count))
      return [
        messageOf('User', [prompt.trim(), ...files].join('\n')),
        ...(answer === '' ? [] : [messageOf('Assistant', answer)]),
      ]
    }),
  }))
}

/** @returns undefined if the value is no chat of the conversation history */
export function readGeminiChat(value: Record<string, unknown>, count: CountOmitted): ImportedChat | undefined {
  const { title, creation_time: created, conversation_turns: turns } = value
  if (!Array.isArray(turns)) return undefined
  const messages = turns.flatMap((turn: unknown) => {
    const prompt = valueAt(turn, ['user_turn', 'prompt'])
    if (hasText(prompt)) return [messageOf('User', prompt.trim())]
    const parts = listAt(turn, ['system_turn', 'text'])
    const texts = parts
      .flatMap((part) => [part, ...listAt(part, ['cards'])])
      .map((part) => valueAt(part, ['data']) ?? valueAt(part, ['content']))
      .filter(hasText)
    count('file', listAt(turn, ['system_turn', 'images']).length)
    if (texts.length === 0) count('unreadable')
    return texts.length === 0 ? [] : [messageOf('Assistant', texts.join('\n\n'))]
  })
  // The history has no ids.
  const id = typeof created === 'string' ? `gemini-${created}` : ''
  return { id, title: String(title ?? ''), createdAt: toDate(created), messages }
}
