import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  chatIdIn,
  noteOfChat,
  withNewMessages,
  type CountOmitted,
  type OmittedPart,
} from '../../../src/main/interop/import/chats.ts'
import { readChats as readFiles } from '../../../src/main/interop/import/read-chats.ts'
import { randomOf } from '../../support/random.ts'

const fixtures = new URL('../../fixtures/imports/', import.meta.url)
const chatsIn = (path: string) => JSON.parse(readFileSync(new URL(path, fixtures), 'utf8'))
const [museum, voice] = chatsIn('chatgpt/source/conversations-001.json')
const [lease] = chatsIn('claude/source/conversations.json')
const [sourdough] = chatsIn('deepseek/source/conversations.json')

/** Reads values as the JSON texts of files. */
const readChats = (values: readonly unknown[]) => readTexts(values.map((value) => JSON.stringify(value) ?? ''))
const readTexts = async (texts: readonly string[]) => {
  const omittedParts = new Map<OmittedPart, number>()
  const count: CountOmitted = (reason, number = 1) => {
    if (number > 0) omittedParts.set(reason, (omittedParts.get(reason) ?? 0) + number)
  }
  const chunks = texts.map((text) => Readable.from([Buffer.from(text.slice(0, 40)), Buffer.from(text.slice(40))]))
  const found = await readFiles(chunks, () => undefined, count)
  return found && { ...found, leftParts: Array.from(omittedParts, ([reason, number]) => ({ reason, count: number })) }
}
const textsOf = async (...values: unknown[]) => (await readChats(values))?.files.map(({ text }) => text)
const partsOf = async (...values: unknown[]) =>
  Object.fromEntries(((await readChats(values))?.leftParts ?? []).map(({ reason, count }) => [reason, count]))

describe('chats of ChatGPT', () => {
  it.each([
    ['without a last message', { current_node: undefined }],
    ['with a last message that is not there', { current_node: 'gone' }],
  ])('%s end with the latest message', async (_name, change) => {
    const branch = {
      id: 'x',
      parent: 'n2',
      message: { author: { role: 'assistant' }, create_time: 1, content: { parts: ['Older.'] } },
    }
    const chat = { ...museum, ...change, mapping: { ...museum.mapping, branch } }
    expect((await textsOf([chat]))?.[0]).toContain('At ten')
    expect(await partsOf([chat])).toMatchObject({ branch: 1 })
  })

  it.each<[string, unknown[]]>([
    ['one list', [[museum, voice]]],
    ['two files', [[museum], [voice]]],
    ['an object with a list', [{ conversations: [museum, voice] }]],
    ['single chats', [museum, voice]],
    ['a list with other values', [[7, null, museum, { mapping: 3 }, voice]]],
  ])('are read from %s', async (_name, values) => {
    expect(await readChats(values)).toMatchObject({
      kind: 'chatgpt',
      files: [{ path: '2026-01-01 Chat museum.md' }, { path: '2026-01-01 Chat voice.md' }],
    })
  })
})

/** Changes one value in a copy: removes it, renames its key, reverses a list, or gives it another type. */
function mutate(value: unknown, random: () => number): unknown {
  const copy: unknown = structuredClone(value)
  const places: [owner: Record<string, unknown>, key: string][] = []
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key])
      visit((node as Record<string, unknown>)[key])
    }
  }
  visit(copy)
  const [owner, key] = places[Math.floor(random() * places.length)] ?? [{}, '']
  const own = owner[key]
  const change = Math.floor(random() * 4)
  if (change === 0) delete owner[key]
  else if (change === 1 && !Array.isArray(owner)) {
    delete owner[key]
    owner[`${key}_`] = own
  } else if (change === 2 && Array.isArray(own)) own.reverse()
  else owner[key] = [7, null, 'text', [], { x: [] }, true][Math.floor(random() * 6)]
  return copy
}

describe('damaged exports', () => {
  it.each([
    ['ChatGPT', [museum, voice], 'mapping'],
    ['Claude', [lease, { ...lease, uuid: 'other' }], 'chat_messages'],
    ['DeepSeek', [sourdough, { ...sourdough, id: 'other' }], 'mapping'],
  ])('of %s are read as far as possible, and count what is left out', async (_name, chats, field) => {
    const random = randomOf(56)
    for (let round = 0; round < 400; round += 1) {
      const damaged = mutate(mutate(chats, random), random) as Record<string, unknown>[]
      const found = await readChats([damaged])
      if (!found) continue
      const given = damaged.filter((chat) => typeof chat === 'object' && chat !== null && field in chat).length
      const { chat = 0, empty = 0 } = await partsOf(damaged)
      expect(found.files.length + chat + empty, JSON.stringify(damaged)).toBe(given)
    }
  })
})

it('a list that breaks off has the chats before', async () => {
  const text = JSON.stringify([museum, voice])
  const found = await readTexts([text.slice(0, -80)])
  expect(found).toMatchObject({
    files: [{ path: '2026-01-01 Chat museum.md' }],
    leftParts: expect.arrayContaining([{ reason: 'chat', count: 1 }]),
  })
})

describe('a chat that was imported before', () => {
  const chat = {
    id: 'a-1',
    title: 'Tent',
    createdAt: new Date('2026-01-20T12:00:00'),
    messages: ['**User:** Where?', '**Assistant:** Attic.'],
  }

  it('is known by its id, also below an import mark', async () => {
    const { text } = noteOfChat(chat)
    expect(chatIdIn(text)).toBe('a-1')
    expect(chatIdIn(text.replace('---\n', '---\nimported: "x, 2026-01-21"\n'))).toBe('a-1')
    expect(chatIdIn('# chat: "a-1"\n')).toBeUndefined()
  })

  it('has new messages after the last known one', async () => {
    const { text } = noteOfChat(chat)
    const edited = text.replace('Where?', 'Where is it?')
    for (const known of [text, edited]) {
      expect(withNewMessages(text, known)).toBeUndefined()
      const more = [...chat.messages, '**User:** Thanks', '**User:** Where?']
      expect(withNewMessages(noteOfChat({ ...chat, messages: more }).text, known)).toMatch(
        /\*2026-01-20\*\n\n\*\*User:\*\* Thanks\n\n\*\*User:\*\* Where\?\n$/,
      )
    }
  })

  it('has all other prompts if it is a day of activity', () => {
    const day = { ...chat, id: 'day-gemini-2026-01-20', messages: ['**User:** one', '**User:** two'] }
    const messages = ['**User:** on', ...day.messages, '**User:** two']
    const added = withNewMessages(noteOfChat({ ...day, messages }).text, noteOfChat(day).text)
    expect(added?.split('\n\n').slice(-2)).toEqual(['**User:** on', '**User:** two\n'])
    expect(withNewMessages(noteOfChat(day).text, noteOfChat(day).text)).toBeUndefined()
  })
})
