import { describe, expect, it } from 'vitest'
import { summarizeStatements } from '../../../src/main/llm/index.ts'

const summarize = (texts: readonly string[], maxCharacters = 1200) =>
  summarizeStatements(
    texts.map((text, key) => ({ text, key })),
    maxCharacters,
  )
const linesOf = (texts: readonly string[], maxCharacters?: number) =>
  summarize(texts, maxCharacters).map(({ text }) => text)
const lengthOf = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n').length

describe('summary of statements', () => {
  it('leaves out questions about the user, requests to change notes, and letters held down', () => {
    const told = 'What I like about Bonn is the archive where Anna works'
    expect(linesOf(['Which candidate did I interview', 'Where have we met Ann', 'Forget the wifi password'])).toEqual(
      [],
    )
    expect(linesOf(['把拔牙那条删掉', 'My code is '.padEnd(500, 'x'), told])).toEqual([told])
  })

  it.each<[string, string[], string[]]>([
    [
      'English',
      [
        'Hi there!',
        'Hey! My sister Anna moved to Bonn last Friday. She starts at the archive on 3 May.',
        "Wow, that's great!",
        'What is the fastest train from Cologne to Bonn?',
        'Yeah, Marta, the dentist moved my appointment to Tuesday at 9:30 haha',
        'Thanks so much!',
        'Can you write a poem about trains?',
        "I'm vegetarian.",
        'Translate this text into French',
        'When I was ten, we lived in Lisbon, where my father built boats.',
      ],
      [
        'My sister Anna moved to Bonn last Friday. She starts at the archive on 3 May.',
        'The dentist moved my appointment to Tuesday at 9:30',
        "I'm vegetarian.",
        'When I was ten, we lived in Lisbon, where my father built boats.',
      ],
    ],
    [
      'Chinese',
      [
        '你好',
        '我妹妹上周五搬到了成都，她五月三号开始在图书馆上班。我们周末去看她。',
        '太好了！',
        '从成都到重庆坐高铁要多久？',
        '我想去哪里旅游',
        '谢谢你！',
        '对了，牙医把我的预约改到周二九点半了哈哈',
        '帮我写一首诗',
      ],
      ['我妹妹上周五搬到了成都，她五月三号开始在图书馆上班。我们周末去看她。', '牙医把我的预约改到周二九点半了'],
    ],
  ])('has the facts of a chat in %s', (_, texts, lines) => {
    expect(linesOf(texts)).toEqual(lines)
  })

  it('keeps the key of each message and the order of the chat', () => {
    const entries = summarize([
      'The garage opens at 7.',
      'Is it far?',
      'On 4 July 2026, we fly from Oslo to Porto with Ines.',
    ])
    expect(entries.map(({ key }) => key)).toEqual([0, 2])
  })

  it.each([
    ['before it', ['The gate code is 4711. Do not save that.']],
    ['in the next message', ['The gate code is 4711.', "Don't note that"]],
    ['at the start', ['别记下这个：门禁密码是4711']],
  ])('leaves out what the user refuses %s', (_, texts) => {
    expect(linesOf([...texts, 'Our locker has the number 42.'])).toEqual(['Our locker has the number 42.'])
  })

  it('has the text of a request to remember', () => {
    expect(linesOf(['Please remember that my locker is number 42'])).toEqual(['My locker is number 42'])
  })

  it.each([
    [['Hello!', 'Thanks, Melanie!', 'ok', '👍', '...']],
    [['How far is Oslo?', '东京现在几点', '何時ですか', '몇 시예요?']],
    [['```\nconst port = 8080\nlisten(port)\n```']],
  ])('is empty for %j', (texts) => {
    expect(linesOf(texts)).toEqual([])
  })

  it('prefers dense facts within the limit', () => {
    const vague = 'It is always so nice to think about how things could turn out in the end.'
    const dense = 'On 12 March I sold the blue Volvo to Pavel for 3,400 euros.'
    expect(linesOf([vague, dense, vague.replace('nice', 'lovely')], 80)).toEqual([dense])
  })

  it('says a fact once', () => {
    const facts = ['Nora plays the cello in Graz.', 'Nora plays the cello in Graz.', 'In Graz, Nora plays cello.']
    expect(linesOf(facts)).toEqual(['In Graz, Nora plays cello.'])
  })

  it.each([90, 1200])('has at most %i characters', (limit) => {
    const texts = Array.from(
      { length: 60 },
      (_, at) => `Shelf ${at} holds the ${at + 7} jars of Mrs ${'ABCDEF'[at % 6]}lt, since May.`,
    )
    const lines = linesOf(texts, limit)
    expect(lengthOf(lines)).toBeLessThanOrEqual(limit)
    expect(lengthOf(lines)).toBeGreaterThan(limit / 2)
  })

  it('cuts a long sentence after a clause', () => {
    const [line = ''] = linesOf([`We sold the boat, ${'bought a tent, '.repeat(40)}and drove to Turin.`], 120)
    expect(line).toMatch(/^We sold the boat, (?:bought a tent, )+bought a tent…$/)
    expect(line.length).toBeLessThanOrEqual(118)
  })

  it('reads list items and lines as sentences', () => {
    expect(linesOf(['- Wifi: tulip-42\n- Rent is 850 euros\n\n2. Key at Olga'])).toEqual([
      'Wifi: tulip-42 Rent is 850 euros Key at Olga',
    ])
  })
})
