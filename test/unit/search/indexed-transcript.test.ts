import { describe, expect, it } from 'vitest'
import { indexedTranscriptText } from '../../../src/main/search/indexing/indexed-transcript.ts'
import { transcriptText } from '../../../src/main/search/indexing/transcript-text.ts'
import { prepareUnits } from '../../../src/main/search/units/prepare-units.ts'
import { branchEntry, memoryToggleEntry, privacyToggleEntry } from '../../../src/shared/chat/messages.ts'

const entry = (message: object, id = 'a') =>
  JSON.stringify({ type: 'message', id, parentId: null, timestamp: '2026-01-20T10:00:00.000Z', message })

const user = (content: unknown, more: object = {}) => entry({ role: 'user', content, timestamp: 0, ...more })

const agent = (text: string, more: object = {}) =>
  entry({ role: 'assistant', provider: 'anthropic', model: 'm', content: [{ type: 'text', text }], ...more })

const call = (name: string, args: object, text = '') =>
  agent('', {
    content: [
      { type: 'text', text },
      { type: 'toolCall', id: 'c', name, arguments: args },
    ],
  })

const result = (toolName: string, text: string, more: object = {}) =>
  entry({ role: 'toolResult', toolCallId: 'c', toolName, content: [{ type: 'text', text }], isError: false, ...more })

const search = (query: string, ...snippets: string[]) => {
  const results = snippets.map((snippet) => ({ path: 'MEMORY.md', startLine: 1, endLine: 1, score: 0.9, snippet }))
  return [
    call('memory_search', { query }),
    result('memory_search', JSON.stringify({ results }), { details: { kind: 'recall', recall: { results } } }),
  ]
}

const indexed = (...lines: string[]) => indexedTranscriptText(lines.join('\n')).split('\n')
const indexedUser = (text: string) => indexed(user(text))[0]
const lastIndexed = (...lines: string[]) => indexed(...lines).at(-1)

describe('questions and requests of the user are not indexed', () => {
  it.each([
    'What did I say about the boiler?',
    'Tell me about the zeppelin festival',
    '帮我查一下锅炉的维修记录',
    '先週の会議について教えてください。',
    '보일러를 고쳤나요',
  ])('%s', (text) => {
    expect(indexedUser(text)).toBe('')
  })

  it.each([
    ['I moved to Bern last week. Where was my old flat?', 'I moved to Bern last week.'],
    ['I moved to Bern last week, where was my old flat?', 'I moved to Bern last week'],
    ['先週ベルンに引っ越しました。前の住所はどこですか？', '先週ベルンに引っ越しました。'],
    ['지난주에 베른으로 이사했어요. 예전 집 주소가 뭐였지?', '지난주에 베른으로 이사했어요.'],
  ])('keeps the statements of a message: %s', (text, told) => {
    expect(indexedUser(text)).toBe(`- User: ${told}`)
  })

  it.each([
    'Remember that my dentist is Dr. Ito on Bahnhofstrasse.',
    'When I was young, we lived in Ulm.',
    '记住：我的护照在蓝色抽屉里',
    '몇 년 전에 이사했어요.',
  ])('keeps a statement: %s', (text) => {
    expect(indexedUser(text)).toBe(`- User: ${text}`)
  })

  it('leaves out keywords that the agent searched, but not a searched statement', () => {
    expect(indexed(user('bike shop'), ...search('Bike shop', 'The bike shop is closed'))[0]).toBe('')
    const told = 'The bike shop on Lindenweg moves to the market hall'
    expect(indexed(user(told), ...search(told))[0]).toBe(`- User: ${told}`)
  })

  it('keeps attached files and code', () => {
    const file = '<file name="faq.md">\nHow do I pay?\n</file>'
    expect(
      indexedUser([
        { type: 'text', text: 'What is this?' },
        { type: 'text', text: file },
      ] as never),
    ).toBe('- User: <file name="faq.md"> How do I pay? </file>')
    expect(indexedUser('```sh\nwhat?\n```')).toBe('- User: ```sh what? ```')
  })
})

describe('what the agent recalls is not indexed', () => {
  const boiler = 'The boiler was serviced by Weber Heating in March 2025'
  const found = [user('Who serviced the boiler?'), ...search('boiler service', boiler, 'The gate code is 4711')]

  it.each([
    '> The boiler was serviced by Weber Heating in March 2025',
    '## Boiler\n\n- Weber Heating. In spring. [MEMORY.md:5-6]\n- Nobody else [memory/2026-01-20.md]',
    'Weber Heating serviced your boiler in March 2025.',
    'It is 4711.',
  ])('leaves out a quotation: %s', (text) => {
    expect(lastIndexed(...found, agent(text))).toBe('')
  })

  it('keeps what the agent adds', () => {
    const text =
      'Weber Heating serviced the boiler in March 2025 [MEMORY.md:5]. I propose the next service for April, together with the chimney sweep.'
    expect(lastIndexed(...found, agent(text))).toBe(
      '- Assistant: I propose the next service for April, together with the chimney sweep.',
    )
  })

  it('keeps the headings and introductions of the remaining text', () => {
    const text = `## Facts\n\n> ${boiler}\n\n## Plan\n\nThe steps:\n\n- ${boiler} [MEMORY.md:5]\n- drain the radiators`
    expect(lastIndexed(...found, agent(text))).toBe('- Assistant: ## Plan The steps: - drain the radiators')
  })

  it('compares with the text of files, a few lines at a time', () => {
    const report = Array.from({ length: 40 }, (_, at) => `Line ${at}: word${at} item${at}`).join('\n')
    const read = [call('read', { path: 'a.md' }), result('read', `${report}\nThe mascot walrus sleeps\nin the harbour`)]
    expect(lastIndexed(...read, agent('The mascot walrus sleeps in the harbour.'))).toBe('')
    expect(lastIndexed(...read, agent('Choose word1 item9 word18 and item27.'))).not.toBe('')
    const get = [call('memory_get', { path: 'a.md' }), result('memory_get', JSON.stringify({ text: `a\n${boiler}` }))]
    expect(lastIndexed(...get, agent(boiler))).toBe('')
  })

  it('does not compare with later results and other tools', () => {
    expect(indexed(agent(boiler), ...found)[0]).toBe(`- Assistant: ${boiler}`)
    expect(lastIndexed(call('mcp_web', {}), result('mcp_web', boiler), agent(boiler))).toBe(`- Assistant: ${boiler}`)
  })

  it.each([
    ['猫的名字叫小米，喜欢吃三文鱼', '您的猫的名字叫小米，它喜欢吃三文鱼。', '建议下周五带小米去打疫苗。'],
    [
      '歯医者は伊藤先生、診察は木曜日の午後三時',
      '歯医者は伊藤先生で、診察は木曜日の午後三時です。',
      '金曜日に母へ電話する予定にしましょう。',
    ],
  ])('works without spaces and with endings: %s', (snippet, repeated, added) => {
    const turn = [user('？'), ...search('q', snippet)]
    expect(lastIndexed(...turn, agent(repeated))).toBe('')
    expect(lastIndexed(...turn, agent(`${repeated} ${added}`))).toBe(`- Assistant: ${added}`)
  })

  it('leaves out the announcement of a search and everything of the offline model', () => {
    expect(indexed(call('memory_search', { query: 'x' }, 'I look up the submarine in your notes.'))[0]).toBe('')
    expect(indexed(agent(`> ${boiler}\n\n[MEMORY.md:5]`, { provider: 'offline' }))[0]).toBe('')
  })
})

describe('answers that found nothing are not indexed', () => {
  it('leaves out the answer of a turn whose searches found nothing, but not a long one', () => {
    const turn = [user('Where is the submarine?'), ...search('submarine'), ...search('boat')]
    expect(lastIndexed(...turn, agent('The submarine stays a riddle.'))).toBe('')
    const plan = 'The crew paints the hull on Monday. '.repeat(20).trim()
    expect(lastIndexed(...turn, agent(`I found nothing about that. ${plan}`))).toBe(`- Assistant: ${plan}`)
    const { length } = turn
    expect(indexed(...turn, user('I sold it.'), agent('The sale ends the lease.'))[length + 1]).toBe(
      '- Assistant: The sale ends the lease.',
    )
  })

  it('keeps the answer if a file was read or the search failed', () => {
    const text = 'The submarine belongs to the museum.'
    const read = [call('read', { path: 'a.md' }), result('read', 'other things')]
    expect(lastIndexed(user('Hm?'), ...search('submarine'), ...read, agent(text))).toBe(`- Assistant: ${text}`)
    const failed = [call('memory_search', { query: 'x' }), result('memory_search', 'index_broken', { isError: true })]
    expect(lastIndexed(user('Hm?'), ...failed, agent(text))).toBe(`- Assistant: ${text}`)
  })

  it.each([
    'I found nothing in your memory about a submarine.',
    'I don’t have any information about that.',
    '你的筆記裡沒有提到潛水艇。',
    '潜水艦についての記録は見つかりませんでした。',
    '잠수함에 대한 기록을 찾을 수 없습니다.',
  ])('%s', (text) => {
    expect(lastIndexed(agent(text))).toBe('')
  })

  it.each(['I found nothing wrong with the contract.', '我们决定把发布推迟到周五。'])(
    'keeps other statements: %s',
    (text) => {
      expect(lastIndexed(agent(text))).toBe(`- Assistant: ${text}`)
    },
  )
})

describe('lines of the indexed text', () => {
  const lines = [
    JSON.stringify({ type: 'session', id: 's' }),
    user('Where is the submarine?'),
    ...search('submarine'),
    agent('I found nothing.'),
    user('It is in the museum. ^[x]'),
    agent('The museum closes on Mondays.'),
    JSON.stringify({ type: 'custom', id: 'p', customType: privacyToggleEntry, data: { isPrivate: true } }),
    '',
  ]

  it('are those of the transcript', () => {
    const text = indexedTranscriptText(lines.join('\n'))
    expect(text.split('\n')).toHaveLength(transcriptText(lines.join('\n')).split('\n').length)
    const { units } = prepareUnits(
      { path: 'sessions/a.jsonl', source: 'sessions', text, hash: 'h', mtime: 0, size: 0 },
      { folders: [] },
    )
    expect(units).toMatchObject([
      { startLine: 6, endLine: 6, label: 'User', text: 'User: It is in the museum. ^[x] ^[private]', isPrivate: true },
      {
        startLine: 7,
        endLine: 7,
        label: 'Assistant',
        text: 'Assistant: The museum closes on Mondays. ^[private]',
        isPrivate: true,
      },
    ])
  })

  it('are empty for deleted messages and for a chat without memory', () => {
    const told = entry({ role: 'user', content: 'The gate code is 4711' }, 'one')
    const deletion = JSON.stringify({ type: 'custom', id: 'd', customType: branchEntry, data: { deleted: 'one' } })
    expect(indexed(told, deletion)).toEqual(['', ''])
    const off = JSON.stringify({ type: 'custom', id: 'o', customType: memoryToggleEntry, data: { isOff: true } })
    expect(indexed(told, off)).toEqual(['', ''])
  })
})
