import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openWindowEstimates, parseContextWindow } from '../../../src/main/agent/context/context-window-estimates.ts'
import { AppError } from '../../../src/shared/util/errors.ts'
import { temporaryFolder } from '../../support/folder.ts'

const model = { id: 'openai-compatible/local', contextWindow: 128_000 }
const refusal = (words: string) =>
  new AppError('context_overflow', 'it no longer fits', { provider: 'x' }, { cause: new Error(words) })
const silent = refusal('the input is too long')

async function open(file?: string, day = 1) {
  const problems: unknown[] = []
  const place = file ?? join(await temporaryFolder(), 'learned.json')
  const windows = await openWindowEstimates({
    file: place,
    now: () => new Date(2026, 0, day),
    onProblem: (problem) => problems.push(problem),
  })
  return { windows, problems, file: place }
}

describe('namedWindow', () => {
  it.each([
    ['400 {"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}', 200_000],
    ["This model's maximum context length is 8192 tokens. However, your messages resulted in 9005 tokens.", 8192],
    ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
    ['request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it', 4096],
    ['Your input exceeds the context window of this model.', undefined],
  ])(' %s', (words, window) => {
    expect(parseContextWindow(words)).toBe(window)
  })
})

describe('LearnedWindows', () => {
  it('stores a window that the provider names, until the configured window changes', async () => {
    const { windows, file } = await open()
    await windows.lower(model, refusal('maximum context length is 8192 tokens'), 9000)
    const learned = { window: 8192, believed: 128_000, isGuess: false }
    expect(windows.estimateFor(model)).toEqual(learned)
    const again = await open(file)
    expect(again.windows.estimateFor(model)).toEqual(learned)
    expect(again.windows.estimateFor({ ...model, contextWindow: 8192 })).toEqual(learned)
    expect(again.windows.estimateFor({ ...model, contextWindow: 64_000 })).toBeUndefined()
    expect(again.windows.estimateFor({ ...model, id: 'other' })).toBeUndefined()
  })

  it('halves the window if no number is named, stores it, and drops it after a week', async () => {
    const { windows, file } = await open()
    await windows.lower(model, silent, 200_000)
    await windows.lower(model, silent, 200_000)
    expect(windows.estimateFor(model)).toEqual({ window: 32_000, believed: 128_000, isGuess: true })
    expect((await open(file)).windows.estimateFor(model)?.window).toBe(32_000)
    expect((await open(file, 9)).windows.estimateFor(model)).toBeUndefined()
  })

  it('returns to the configured window if even small requests are refused', async () => {
    const { windows, file } = await open()
    for (let round = 0; round < 6; round += 1) await windows.lower(model, silent, 200_000)
    expect(windows.estimateFor(model)).toBeUndefined()
    expect((await open(file)).windows.estimateFor(model)).toBeUndefined()
  })

  it('ignores an invalid file and overwrites it', async () => {
    const { file } = await open()
    await writeFile(file, '{"a": {"window": "no"')
    const { windows, problems } = await open(file)
    await windows.lower(model, refusal('maximum context length is 8192 tokens'), 9000)
    expect(JSON.parse(await readFile(file, 'utf8'))).toHaveProperty([model.id, 'window'], 8192)
    expect(problems).toEqual([])
  })
})
