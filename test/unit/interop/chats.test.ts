import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { chatIdIn, messagesAfter, noteOfChat } from '../../../src/main/interop/import/chats.ts'
import { readChats as readFiles } from '../../../src/main/interop/import/read-chats.ts'
import { randomOf } from '../../support/random.ts'

type Part = string | Record<string, unknown>

type MessageOptions = Partial<Record<'recipient' | 'kind' | 'text', string>> & { readonly metadata?: object }

/** Returns a chat of ChatGPT whose messages follow each other. */
function chatOf(
  id: string,
  messages: readonly (readonly [role: string, parts: readonly Part[], options?: MessageOptions])[],
) {
  const nodes = messages.map(([role, parts, { recipient = 'all', metadata = {}, kind = 'text', text } = {}], at) => {
    const content = text === undefined ? { content_type: kind, parts } : { content_type: kind, text }
    const message = { author: { role }, recipient, metadata, create_time: 1_767_268_800 + at, content }
    return [`n${at}`, { id: `n${at}`, parent: at === 0 ? 'root' : `n${at - 1}`, message }] as const
  })
  return {
    conversation_id: id,
    title: `Chat ${id}`,
    create_time: 1_767_268_800,
    current_node: nodes.at(-1)?.[0],
    mapping: { root: { id: 'root', parent: null, message: null } as unknown, ...Object.fromEntries(nodes) },
  }
}

const museum = chatOf('museum', [
  ['system', ['']],
  ['user', ['Kim'], { metadata: { is_visually_hidden_from_conversation: true }, kind: 'user_editable_context' }],
  ['user', ['When does the museum open?']],
  ['assistant', [], { kind: 'thoughts' }],
  ['assistant', [], { recipient: 'web.run', kind: 'code', text: '{"search_query":[{"q":"museum"}]}' }],
  ['tool', ['a page']],
  [
    'assistant',
    [
      'At ten \uE200cite\uE202turn0search3\uE202turn0search1\uE201, and \uE200entity\uE202["place","Café Nord"]\uE201 at eight 【3†source】.',
    ],
    {
      metadata: {
        content_references: [
          {
            matched_text: '\uE200cite\uE202turn0search3\uE202turn0search1\uE201',
            items: [{ title: 'Hours [2026]', url: 'https://museum.example/hours' }],
          },
        ],
      },
    },
  ],
])

const voice = chatOf('voice', [
  [
    'user',
    [
      { content_type: 'audio_transcription', text: 'The hint is the year of the flood.' },
      { content_type: 'real_time_user_audio_video_asset_pointer', audio_asset_pointer: {} },
      { content_type: 'image_asset_pointer', asset_pointer: 'x' },
    ],
    { kind: 'multimodal_text' },
  ],
  [
    'assistant',
    [],
    {
      recipient: 'canmore.create_textdoc',
      kind: 'code',
      text: '{"name":"Packing list","type":"document","content":"- tent"}',
    },
  ],
  ['assistant', [], { kind: 'code', text: 'print(1)' }],
])

const lease = {
  uuid: 'lease',
  name: 'Lease',
  created_at: '2026-03-02T12:00:00Z',
  chat_messages: [
    {
      uuid: 'a',
      parent_message_uuid: 'none',
      sender: 'human',
      text: 'Summarise',
      content: [{ type: 'text', text: 'Summarise' }],
      attachments: [{ file_name: 'paste.txt', extracted_content: 'The deposit is 1,450 euros.' }],
      files: [{ file_name: 'plan.png' }],
    },
    { uuid: 'b', parent_message_uuid: 'a', sender: 'assistant', text: 'An earlier answer', content: [] },
    {
      uuid: 'c',
      parent_message_uuid: 'a',
      sender: 'assistant',
      text: '```\nThis block is not supported on your current device yet.\n```\n\nDone.',
      content: [
        { type: 'thinking', thinking: 'hm' },
        {
          type: 'tool_use',
          name: 'artifacts',
          input: { command: 'create', title: 'Terms', content: 'Notice: 3 months' },
        },
        { type: 'text', text: 'Done.' },
      ],
    },
  ],
}

/** Reads values as the JSON texts of files. */
const readChats = (values: readonly unknown[]) => readTexts(values.map((value) => JSON.stringify(value) ?? ''))
const readTexts = (texts: readonly string[]) =>
  readFiles(texts.map((text) => Readable.from([Buffer.from(text.slice(0, 40)), Buffer.from(text.slice(40))])))
const textsOf = async (...values: unknown[]) => (await readChats(values))?.files.map(({ text }) => text)
const partsOf = async (...values: unknown[]) =>
  Object.fromEntries(((await readChats(values))?.leftParts ?? []).map(({ reason, count }) => [reason, count]))

describe('chats of ChatGPT', () => {
  it('have what the interface shows, with links and names for marks', async () => {
    expect(await textsOf([museum])).toEqual([
      '---\nchat: "museum"\n---\n\n# Chat museum\n\n*2026-01-01*\n\n**User:** When does the museum open?\n\n' +
        '**Assistant:** At ten ([Hours 2026](https://museum.example/hours)), and Café Nord at eight.\n',
    ])
    expect(await partsOf([museum])).toEqual({ hidden: 2, tool: 2 })
  })

  it('have spoken words, documents of the canvas and code', async () => {
    const [text = ''] = (await textsOf([voice])) ?? []
    expect(text).toContain('**User:** The hint is the year of the flood.\n')
    expect(text).toContain('**Assistant:** **Packing list**\n\n- tent\n')
    expect(text).toContain('```\nprint(1)\n```')
    expect(await partsOf([voice])).toEqual({ file: 1 })
  })

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
      files: [{ chat: { id: 'museum' } }, { chat: { id: 'voice' } }],
    })
  })
})

describe('chats of Claude', () => {
  it('have pasted texts, artifacts and the branch that is shown', async () => {
    expect(await textsOf([lease])).toEqual([
      '---\nchat: "lease"\n---\n\n# Lease\n\n*2026-03-02*\n\n**User:** Summarise\n\n**paste.txt**\n\nThe deposit is 1,450 euros.\n\n' +
        '**Assistant:** **Terms**\n\nNotice: 3 months\n\nDone.\n',
    ])
    expect(await partsOf([lease])).toEqual({ hidden: 1, file: 1, branch: 1 })
  })

  it('come with projects and memories', async () => {
    const project = {
      name: 'Bakery',
      prompt_template: 'Use grams.',
      docs: [{ filename: 'flour.md', content: 'Nordmill' }],
    }
    const memories = { conversations_memory: 'Kim bakes.', project_memories: { p: 'The project uses rye.' } }
    const found = await readChats([[lease], [project], [memories], [{ uuid: 'account' }]])
    expect(found?.files.slice(1)).toEqual([
      { path: 'Projects/Bakery/About.md', text: '# Bakery\n\nUse grams.\n' },
      { path: 'Projects/Bakery/flour.md', text: 'Nordmill' },
      { path: 'Claude memory.md', text: '# Claude memory\n\nKim bakes.\n\nThe project uses rye.\n' },
    ])
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
    files: [{ chat: { id: 'museum' } }],
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
      expect(messagesAfter(chat.messages, known)).toEqual([])
      const more = [...chat.messages, '**User:** Thanks', '**User:** Where?']
      expect(messagesAfter(more, known)).toEqual(['**User:** Thanks', '**User:** Where?'])
    }
  })
})
