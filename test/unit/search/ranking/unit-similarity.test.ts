import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  builtinSimilarity,
  createBuiltinEmbeddings,
} from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { toUnitVector } from '../../../../src/main/search/embeddings/embedding-provider.ts'
import { UnitVectors } from '../../../../src/main/search/ranking/unit-similarity.ts'
import { bodyOf } from '../../../../src/main/search/units/prepare-units.ts'
import { builtinModelFile } from '../../../support/built.ts'
import { randomOf } from '../../../support/random.ts'
import { createUnitIndex, openNotes } from '../../../support/unit-index.ts'

const provider = createBuiltinEmbeddings(builtinModelFile)
const model = builtinSimilarity(builtinModelFile)
const sets = ['everyday-en', 'everyday-zh', 'other-words', 'short-notes']

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const deviationOf = (values: readonly number[]) => {
  const mean = meanOf(values)
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))
}
const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)

async function embed(text: string): Promise<Float32Array> {
  const [vector] = await provider.embed([text])
  return vector ?? new Float32Array()
}

async function built(text: string) {
  return { vector: await embed(text), model, text }
}

describe('similarity by the built-in model', () => {
  const index = createUnitIndex({ model, folders: [] })
  let ids: number[]
  let vectors: UnitVectors
  /** Returns the cosine from the texts, without the index. */
  let plainCosine: (question: Float32Array, id: number) => number

  beforeAll(async () => {
    for (const set of sets) {
      const folder = fileURLToPath(new URL(`../../../recall/${set}/workspace`, import.meta.url))
      const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
      for (const path of paths.sort()) index.put(`${set}/${path}`, readFileSync(join(folder, path), 'utf8'))
    }
    const { table } = index.reader()
    ids = [...table.ids()]
    vectors = new UnitVectors(index.db, openNotes, table)
    const own = new Map<number, Float32Array>()
    const units = index.db.prepare<[], { id: number; text: string; label: string }>('SELECT id, text, label FROM units')
    for (const unit of units.all()) own.set(unit.id, await embed(bodyOf(unit)))
    plainCosine = (question, id) => dot(question, own.get(id) ?? new Float32Array())
  })

  const questions = [
    'Which paint did we use in the hall?',
    'When is the dentist?',
    'running shoes',
    'what is for dinner',
  ]

  it('has the same mean and deviation for every question', async () => {
    expect(ids.length).toBeGreaterThan(500)
    for (const text of questions) {
      const { cosine } = vectors.similarityTo(await built(text))
      const values = ids.map((id) => cosine(id))
      expect(Math.abs(meanOf(values) - 0.12), text).toBeLessThan(0.02)
      expect(Math.abs(deviationOf(values) - 0.14), text).toBeLessThan(0.02)
    }
  })

  it('has the nearest unit first, and 50 of the nearest in order', async () => {
    for (const text of questions) {
      const query = await built(text)
      const { nearest, cosine } = vectors.similarityTo(query)
      const best = Math.max(...ids.map((id) => plainCosine(query.vector, id)))
      expect(plainCosine(query.vector, nearest[0] ?? 0), text).toBeCloseTo(best, 4)
      expect(nearest).toHaveLength(50)
      expect(new Set(nearest).size).toBe(50)
      expect(nearest.map((id) => cosine(id))).toEqual(nearest.map((id) => cosine(id)).toSorted((a, b) => b - a))
    }
  })
})

describe('similarity of few units', () => {
  it('has no private unit and no chat among the nearest', async () => {
    const { db, put, textOf, reader } = createUnitIndex({ model, folders: [] })
    put('a.md', '- the boiler leaks\n- the boiler ^[local]')
    put('chat.jsonl', '- User: the boiler', 'sessions')
    const nearest = async (isChat: boolean, hasPrivate: boolean) => {
      const scope = { isChat, hasPrivate }
      return new UnitVectors(db, scope, reader(scope).table).similarityTo(await built('boiler')).nearest.map(textOf)
    }
    expect(await nearest(false, false)).toEqual(['the boiler leaks'])
    expect(new Set(await nearest(false, true))).toEqual(new Set(['the boiler leaks', 'the boiler ^[local]']))
    expect(await nearest(true, false)).toEqual(['User: the boiler'])
  })
})

describe('private units', () => {
  it('do not crowd out the nearest open one', async () => {
    const { db, put, idOf, reader } = createUnitIndex({ model, folders: [] })
    const boilers = Array.from({ length: 250 }, (_, at) => `- the boiler ${at} ^[local]`)
    put('a.md', [...boilers, '- soup'].join('\n'))
    const { nearest } = new UnitVectors(db, openNotes, reader().table).similarityTo(await built('the boiler'))
    expect(nearest).toEqual([idOf('soup')])
  })
})

describe('similarity by another model', () => {
  it('is 0 for units without a vector', () => {
    const { db, store, put, idOf, reader } = createUnitIndex()
    const vectorOf = (seed: number) => toUnitVector(Array.from({ length: 64 }, randomOf(seed))) ?? new Float32Array()
    put('a.md', 'old')
    const texts = store.textsToEmbed(0, 1)
    store.storeVectors(
      'server',
      'other',
      texts.map(({ id, hash }) => ({ id, hash, vector: vectorOf(1) })),
    )
    put('b.md', 'new')
    const question = { vector: vectorOf(2), text: '' }
    const { cosine, similarity, nearest } = new UnitVectors(db, openNotes, reader().table).similarityTo(question)
    expect([cosine(idOf('new')), similarity(idOf('new'))]).toEqual([0, 0])
    expect(nearest).toEqual([idOf('old')])
  })
})
