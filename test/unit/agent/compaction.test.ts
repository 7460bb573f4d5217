import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compactionState,
  findCutIndex,
  applyPruning,
  planPruning,
} from '../../../src/main/agent/compaction/compaction-state.ts'
import { renderInParts, calibrationFactor } from '../../../src/main/agent/context/message-text.ts'
import type { TranscriptEntry } from '../../../src/main/agent/sessions/transcript-entries.ts'
import { estimateTokens } from '../../../src/shared/util/tokens.ts'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { defaultSettings } from '../../support/default-settings.ts'
import { assistantMessage, toolResult as result, userMessage as user } from '../../support/messages.ts'

const answer = (text: string, calls: readonly string[] = []) =>
  assistantMessage([
    { type: 'text', text },
    ...calls.map((id) => ({ type: 'toolCall' as const, id, name: 'read', arguments: {} })),
  ])

describe('cut point', () => {
  const messages = [
    user('a'),
    answer('b', ['1']),
    result('1', 'c'),
    answer('d'),
    user('e'),
    answer('f', ['2', '3']),
    result('2', 'g'),
    result('3', 'h'),
    answer('i'),
  ]
  const tokens = messages.map(() => 10)

  it.each([
    [1000, 0],
    [50, 4],
    [30, 8],
    [5, 8],
  ])('keeping %i tokens cuts before message %i, never between a call and its result', (keep, cut) => {
    expect(findCutIndex(messages, tokens, keep)).toBe(cut)
  })

  it('always keeps the last message and never begins with a result (property)', () => {
    const role = fc.constantFrom('user', 'assistant', 'toolResult')
    fc.assert(
      fc.property(fc.array(role, { minLength: 1, maxLength: 30 }), fc.integer({ min: 0, max: 400 }), (roles, keep) => {
        const conversation = roles.map((name) =>
          name === 'user' ? user('x') : name === 'assistant' ? answer('x') : result('1', 'x'),
        )
        const cut = findCutIndex(
          conversation,
          conversation.map(() => 10),
          keep,
        )
        expect(cut).toBeLessThan(conversation.length)
        if (cut > 0) expect(conversation[cut]?.role).not.toBe('toolResult')
      }),
    )
  })
})

const { contextPruning } = defaultSettings
const undecided = { trimmed: new Set<string>(), cleared: new Set<string>() }
const conversation = (size: number) => [
  user('q'),
  answer('', ['1']),
  result('1', 'x'.repeat(size)),
  answer('', ['2']),
  result('2', 'y'.repeat(size)),
  answer('a'),
  answer('b'),
  answer('c'),
]

describe('pruning', () => {
  const plan = (
    size: number,
    { messages = conversation(size), decisions = undecided, tokens = 12_000, now = Infinity } = {},
  ) => planPruning(messages, decisions, { tokens, contextWindow: 32_000, now }, contextPruning)

  it('prunes nothing below 30 % of the window, and never small results', () => {
    expect(plan(10_000, { tokens: 9000 })).toBeUndefined()
    expect(plan(3000)).toBeUndefined()
  })

  it('trims old results to head and tail above 30 %', () => {
    expect(plan(10_000)).toMatchObject({
      trimmed: ['1', '2'],
      cleared: [],
      charactersBefore: 20_000,
      charactersAfter: 6006,
    })
    const sent = applyPruning(conversation(10_000), { trimmed: new Set(['1']), cleared: new Set() }, contextPruning)
    expect(sent[2] && messageText(sent[2])).toBe(`${'x'.repeat(1500)}\n…\n${'x'.repeat(1500)}`)
    expect(sent[4] && messageText(sent[4])).toHaveLength(10_000)
  })

  it('clears results above 50 % if that saves enough', () => {
    const many = [
      user('q'),
      ...Array.from({ length: 20 }, (_, index) => [
        answer('', [`c${index}`]),
        result(`c${index}`, 'z'.repeat(3900)),
      ]).flat(),
      answer('a'),
      answer('b'),
      answer('c'),
    ]
    const cleared = plan(0, { messages: many, tokens: 22_000 })
    expect(cleared?.cleared).toHaveLength(20)
    const sent = applyPruning(many, { trimmed: new Set(), cleared: new Set(['c0']) }, contextPruning)
    expect(sent[2] && messageText(sent[2])).toBe('[Old tool result content cleared]')
    expect(sent[4] && messageText(sent[4])).toHaveLength(3900)
    const few = many.slice(0, 9)
    expect(plan(0, { messages: [...few, answer('a'), answer('b'), answer('c')], tokens: 22_000 })).toBeUndefined()
  })

  it('spares results of the newest answers and before the first user message', () => {
    const early = [answer('', ['0']), result('0', 'w'.repeat(9000)), ...conversation(10_000)]
    expect(plan(0, { messages: early })?.trimmed).toEqual(['1', '2'])
    expect(plan(0, { messages: conversation(10_000).slice(0, 5) })).toBeUndefined()
  })

  it('keeps the cached prefix for five minutes and repeats no decision', () => {
    expect(plan(10_000, { now: 299_000 })).toBeUndefined()
    expect(plan(10_000, { now: 301_000 })?.trimmed).toEqual(['1', '2'])
    expect(plan(10_000, { decisions: { trimmed: new Set(['1', '2']), cleared: new Set() } })).toBeUndefined()
  })
})

const message = (id: string, content = id): TranscriptEntry => ({
  type: 'message',
  id,
  parentId: null,
  timestamp: '',
  message: user(content),
})
const flushed = (throughEntryId: string): TranscriptEntry => ({
  type: 'flush',
  id: `f${throughEntryId}`,
  parentId: null,
  timestamp: '',
  status: 'wrote',
  throughEntryId,
  changes: [],
  lines: [],
})
const compacted = (firstKeptEntryId: string): TranscriptEntry => ({
  type: 'compaction',
  id: `c${firstKeptEntryId}`,
  parentId: null,
  timestamp: '',
  summary: `up to ${firstKeptEntryId}`,
  firstKeptEntryId,
  tokensBefore: 1,
})

describe('keepingState', () => {
  const idsOf = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => id).join('')

  it('counts notes as taken up to the entry of a flush', () => {
    const state = compactionState([message('a'), message('b'), flushed('a'), message('c')])
    expect(state).toMatchObject({ takenThrough: 'a', hasFlushedInCycle: true, isBehind: false })
    expect(idsOf(state.untaken)).toBe('bc')
  })

  it('keeps the pointer after a failed flush, until later ones have read everything that is missing', () => {
    const failed: TranscriptEntry = { ...flushed('a'), id: 'failed', status: 'failed', missingEntryId: 'c' }
    const leftOut: TranscriptEntry = { ...compacted('e'), leftOut: true }
    const branch = [message('a'), message('b'), message('c'), flushed('a'), failed, message('d'), message('e'), leftOut]
    const state = compactionState(branch)
    expect(state).toMatchObject({ takenThrough: 'a', isBehind: true, turnsSinceFailure: 2 })
    expect(idsOf(state.untaken)).toBe('bcde')
    expect(idsOf(state.liveMessages)).toBe('e')
    expect(compactionState([...branch, flushed('c')]).isBehind).toBe(true)
    expect(compactionState([...branch, flushed('d')])).toMatchObject({ isBehind: false, takenThrough: 'd' })
  })

  it('replaces messages before the first kept entry by the summary of a compaction', () => {
    const state = compactionState([
      message('a'),
      message('b'),
      message('c'),
      flushed('c'),
      compacted('c'),
      message('d'),
    ])
    expect(state).toMatchObject({ summary: 'up to c', takenThrough: 'c', hasFlushedInCycle: false })
    expect(idsOf(state.liveMessages)).toBe('cd')
  })
})

describe('calibration', () => {
  it.each([
    [1000, 1200, 1.2],
    [1000, null, 1],
    [1000, 10_000, 2],
  ])('%i estimated and %s reported tokens give the factor %d', (estimatedTokens, reportedTokens, factor) => {
    expect(calibrationFactor({ estimatedTokens, reportedTokens })).toBe(factor)
  })
})

describe('renderInParts and splitText', () => {
  it('keeps each part within the limit and loses no text (property)', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ maxLength: 300 }),
            fc.constantFrom('字'.repeat(500), 'x'.repeat(3000), '😀'.repeat(300), 'line\n'.repeat(200)),
          ),
          { maxLength: 8 },
        ),
        (texts) => {
          const parts = renderInParts(texts.map(user), 120)
          for (const { text } of parts) expect(estimateTokens(text)).toBeLessThanOrEqual(125)
          const plain = (text: string) => text.replace(/\s+/g, '')
          expect(parts.at(-1)?.end ?? 0).toBe(texts.length)
          expect(plain(parts.map(({ text }) => text).join(''))).toBe(
            plain(texts.map((text) => `User: ${text}`).join('')),
          )
        },
      ),
      { numRuns: 100 },
    )
  })
})
