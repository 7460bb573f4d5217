import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openBuiltinModel, shareBuiltinModel } from '../../../../src/main/search/embeddings/builtin/builtin-model.ts'
import {
  wordsOf,
  type WeightedWord,
  foldText,
  forEachToken,
} from '../../../../src/main/search/embeddings/builtin/embed-text.ts'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { builtinFile } from '../../../recall/judged-set.ts'
import reference from './builtin-reference.json' with { type: 'json' }

const card = new URL('../../../../resources/models/builtin/README.md', import.meta.url)
const provider = createBuiltinEmbeddings(builtinFile)

async function embed(...texts: string[]): Promise<Float32Array[]> {
  return (await provider.embed(texts)).map((vector) => vector ?? new Float32Array())
}

function dot(one: Float32Array = new Float32Array(), other: Float32Array = new Float32Array()): number {
  return [...one].reduce((sum, value, at) => sum + value * (other[at] ?? Number.NaN), 0)
}

function nearnessTo(question: string) {
  const near = provider.similarity?.similarityTo(question)
  return (passage: string, cosine: number) =>
    near?.(provider.similarity?.tokensOf(passage) ?? new Int32Array(), cosine) ?? Number.NaN
}

/** The similarity, from the vectors of all words. */
function similarityOf(question: string, passage: string, cosine: number): number {
  const model = openBuiltinModel(builtinFile)
  const massOf = (words: readonly WeightedWord[]) => words.reduce((sum, { weight }) => sum + weight ** 2, 0)
  const all = wordsOf(model, question)
  const asked = all.filter(({ weight }) => weight ** 2 >= 0.02 * massOf(all))
  const matchOf = (one: WeightedWord, other: WeightedWord) => {
    const isKnown = one.unknown === undefined && other.unknown === undefined
    return isKnown ? (dot(one.vector, other.vector) - 0.15) / 0.5 : Number(one.unknown === other.unknown)
  }
  const matched = asked.map((word) => {
    const best = Math.max(0, ...wordsOf(model, passage).map((other) => matchOf(word, other)))
    return { ...word, weight: word.weight * Math.sqrt(Math.min(1, best)) }
  })
  return 0.65 * cosine + (0.35 * massOf(matched)) / massOf(asked)
}

/** Distinct words of the vocabulary. */
function manyWords(count: number): string {
  const model = openBuiltinModel(builtinFile)
  return Array.from({ length: count }, (_, token) => model.textOf(1000 + 3 * token)).join(' ')
}

describe('built-in model', () => {
  it('matches the checksum in its card and the size limit', () => {
    const bytes = readFileSync(builtinFile)
    expect(readFileSync(card, 'utf8')).toContain(createHash('sha256').update(bytes).digest('hex'))
    expect(bytes.length).toBeLessThanOrEqual(12_000_000)
    expect(shareBuiltinModel(builtinFile).byteLength).toBeLessThan(25_000_000)
  })

  it('gives a text the same unit vector every time', async () => {
    const [one, other] = await embed('Our boat lies in the harbour', 'Our boat lies in the harbour')
    expect(one).toHaveLength(256)
    expect(provider.dimensions).toBe(256)
    expect(one).toEqual(other)
    for (const text of ['', '…', 'лодка', '보트', 'a', 'word '.repeat(5000)])
      expect(dot(...((await embed(text, text)) as [Float32Array, Float32Array]))).toBeCloseTo(1, 5)
  })

  it.each(reference)('tokenizes and embeds $text as in training', async ({ text, tokens, vector }) => {
    const model = openBuiltinModel(builtinFile)
    const found: string[] = []
    forEachToken(foldText(text, model.folds), model, (token) => found.push(model.textOf(token)))
    expect(found).toEqual(tokens)
    const [own] = await embed(text)
    for (const [at, value] of vector.entries()) expect(own?.[at]).toBeCloseTo(value, 3)
  })

  it.each([
    ['Who can look after the kids?', 'Find a babysitter for the evening', 'The ferry to Bari was sold out'],
    ['房租什么时候涨？', '租金一月起多三百块', '冰箱嗡嗡响'],
    ['When does my daughter start school?', '女儿九月份开始上幼儿园', '周末看了一部火山的纪录片'],
  ])('%j is more similar to %j than to %j', async (question, right, wrong) => {
    const [asked, near, far] = await embed(question, right, wrong)
    expect(dot(asked, near)).toBeGreaterThan(dot(asked, far) + 0.1)
  })

  it('the shares of the words add up to the cosine, with the most similar word', async () => {
    const [question, passage] = ['Where did I leave the boat?', 'The dinghy lies at the jetty']
    const [asked, there] = await embed(question, passage)
    const terms = provider.explain?.(question, passage) ?? []
    expect(terms.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(dot(asked, there), 5)
    expect(terms[0]?.term).toBe('boat')
    expect(['dinghy', 'jetty']).toContain(terms[0]?.nearest)
  })

  it.each([
    ['words of several tokens, one of them twice', 'The unbootable kernelpanicker: xkcdbot, kernelpanicker, reboot'],
    ['Chinese and English in one', '周末 boat 房租 dinghy 钥匙在抽屉里'],
    ['more words than a search usually meets', manyWords(4000)],
  ])('the tokens give the same vector, cosine and similarity as the text: %s', async (_name, passage) => {
    const question = 'Where did I leave the boat 钥匙 kernelpanicker 보트?'
    const [asked, there] = await embed(question, passage)
    const cosine = dot(asked, there)
    const tokens = provider.similarity?.tokensOf(passage) ?? new Int32Array()
    const { vector, length = 0 } = provider.similarity?.vectorOf(tokens) ?? {}
    for (const [at, value] of (there as Float32Array).entries()) expect(vector?.[at]).toBeCloseTo(value, 5)
    const cosineOf = provider.similarity?.cosinesWith(asked as Float32Array)
    // The second call uses the cached products of tokens.
    for (let time = 0; time < 2; time += 1) expect(cosineOf?.(tokens, length)).toBeCloseTo(cosine, 5)
    const near = nearnessTo(question)
    const whole = similarityOf(question, passage, cosine)
    expect(near(passage, cosine)).toBeCloseTo(whole, 5)
    // The result must not depend on passages compared before.
    near(manyWords(2000), 0)
    expect(near(passage, cosine)).toBeCloseTo(whole, 5)
  })

  it('returns related words in the same script, each once', () => {
    const words = (word: string) => (provider.related?.(word) ?? []).map((one) => one.word)
    expect(words('boat')).toEqual(expect.arrayContaining(['canoe']))
    expect(words('租金')).toContain('房租')
    expect(words('boats')).not.toContain('boat')
    expect(words('xqzzt')).toEqual([])
    expect(new Set(words('租金')).size).toBe(words('租金').length)
  })

  it('reports a missing or invalid file as provider_unavailable', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'builtin-'))
    await writeFile(join(folder, 'none.bin'), 'no model at all')
    await writeFile(join(folder, 'cut.bin'), readFileSync(builtinFile).subarray(0, 1_000_000))
    for (const name of ['missing.bin', 'none.bin', 'cut.bin']) {
      const broken = createBuiltinEmbeddings(join(folder, name))
      await expect(broken.embed(['boat'])).rejects.toMatchObject({ code: 'provider_unavailable' })
      expect(broken.related?.('boat')).toEqual([])
    }
  })
})
