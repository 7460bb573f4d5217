import { describe, expect, it } from 'vitest'
import { layerPolygons, xOf } from '../../../src/renderer/chat/context/timeline.tsx'
import { contextWarnings } from '../../../src/renderer/chat/context/context-table.tsx'
import type { ContextItem, ContextReport, ContextStep } from '../../../src/shared/contract/index.ts'

const item = (
  layer: ContextItem['layer'],
  name: string,
  tokens: number,
  rest: Partial<ContextItem> = {},
): ContextItem => ({
  layer,
  name,
  tokens,
  rawCharacters: tokens * 4,
  sentCharacters: tokens * 4,
  ...rest,
})

function report(items: ContextItem[], rest: Partial<ContextReport> = {}): ContextReport {
  return {
    ...rest,
    model: 'a/b',
    contextWindow: 10_000,
    reserveTokens: 2000,
    flushAt: 7000,
    compactAt: 8000,
    items,
    estimatedTokens: items.reduce((sum, { tokens }) => sum + tokens, 0),
    reportedTokens: null,
    sentAt: 0,
  }
}

describe('context warnings', () => {
  it.each<[string, ContextItem[], string[]]>([
    ['a truncated file', [item('project', 'USER.md', 100, { note: 'cut' })], ['cut']],
    ['a long MEMORY.md', [item('project', 'MEMORY.md', 3500)], ['memory']],
    ['a full window without a pending step', [item('conversation', 'conversation', 9000)], []],
  ])('for %s', (_, items, codes) => {
    expect(contextWarnings(report(items)).map(({ code }) => code)).toEqual(codes)
  })

  it.each<[string, Partial<ContextReport>, string[]]>([
    ['a pending flush', { next: ['prune', 'flush'] }, ['flush']],
    ['a pending compaction', { next: ['flush', 'compact'] }, ['compact']],
    ['a window smaller than assumed', { learned: { window: 1, believed: 2, isGuess: true } }, ['window']],
  ])('for %s', (_, rest, codes) => {
    expect(contextWarnings(report([], rest)).map(({ code }) => code)).toEqual(codes)
  })
})

describe('timeline', () => {
  const step = (layers: ContextStep['layers']): ContextStep => {
    const { items: _, ...rest } = report([])
    const estimatedTokens = Object.values(layers).reduce((sum, tokens) => sum + tokens, 0)
    return { ...rest, estimatedTokens, id: 'x', layers, question: '', usage: null }
  }

  it('stacks the layers up to their sum, with steps of equal width', () => {
    const steps = [step({ system: 100, message: 100 }), step({ system: 100, conversation: 300 })]
    const scale = 400 * 1.15
    const shapes = layerPolygons(steps, 100, scale)
    expect(shapes.map(({ layer }) => layer)).toEqual(['system', 'conversation', 'message'])
    const points = (shapes[1]?.points ?? '').split(' ').map((point) => point.split(',').map(Number))
    expect(Math.min(...points.map(([, y]) => y ?? 0))).toBeCloseTo(100 - (400 / scale) * 100, 1)
    expect(points.map(([x]) => x)).toEqual([0, 500, 500, 1000, 1000, 500, 500, 0])
    expect(xOf(1, 2)).toBe(750)
  })
})
