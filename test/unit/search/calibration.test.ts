import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { toUnitVector, type EmbeddingProvider } from '../../../src/main/search/embeddings/embedding-provider.ts'
import { calibrationFor, calibrationKey, parseCalibration } from '../../../src/main/search/ranking/calibrated.ts'
import { embedMissing } from '../../../src/main/search/vector/embed-queue.ts'
import { languagePairs } from '../../../src/main/search/ranking/language-pairs.ts'
import { createTables, getMeta, openForWriting } from '../../../src/main/search/indexing/index-schema.ts'
import { isOfUse, vectorScaleOf, vectorScore, weightsFor } from '../../../src/main/search/ranking/calibrate.ts'
import { IndexStore } from '../../../src/main/search/indexing/index-store.ts'

const signal = new AbortController().signal
const dimensions = 512

/** Returns a random direction that depends on the text only. */
function directionOf(text: string): Float32Array {
  const numbers = Array.from({ length: dimensions / 32 }, (_, part) => [
    ...createHash('sha256').update(`${part} ${text}`).digest(),
  ])
  return toUnitVector(numbers.flat().map((byte) => byte - 127.5)) ?? new Float32Array(dimensions)
}

function sumOf(parts: readonly (readonly [number, Float32Array])[]): Float32Array {
  const sum = new Float32Array(dimensions)
  for (const [weight, vector] of parts)
    for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + weight * value
  return toUnitVector([...sum]) ?? sum
}

/**
 * A model that knows words, with cosines between `lowest` and about 0.9: each vector has a common part and a part that
 * depends on the text.
 */
function modelOf(lowest: number, knows: RegExp = /[\p{L}\p{N}]+/gu) {
  const asked: string[] = []
  const vectorOf = (text: string) => {
    const words = [...new Set(text.toLowerCase().match(knows))].filter(
      (word) => word.length > 3 || /\P{ASCII}/u.test(word),
    )
    const meant = words.length === 0 ? directionOf(text) : sumOf(words.map((word) => [1, directionOf(word)]))
    return sumOf([
      [Math.sqrt(lowest), directionOf('')],
      [Math.sqrt((1 - lowest) * 0.67), meant],
      [Math.sqrt((1 - lowest) * 0.33), directionOf(`own ${text}`)],
    ])
  }
  const provider: EmbeddingProvider = {
    provider: 'openai-compatible',
    model: 'words',
    dimensions,
    batchSize: 16,
    async embed(texts) {
      asked.push(...texts)
      return texts.map(vectorOf)
    },
  }
  return { provider, vectorOf, asked }
}

const topics = {
  boiler:
    'The boiler in the cellar was serviced by plumber Harris in March. The boiler valve was replaced by Harris as well.',
  violin: 'Violin lessons with teacher Novak are on Thursday evening. The violin strings were bought from Novak too.',
  garden: 'Tomatoes and pumpkins grow behind the greenhouse this year. The pumpkins want water every second evening.',
  flight: 'The flight to Lisbon leaves from terminal two at noon. The Lisbon hotel is near the harbour and the tram.',
  invoice: 'Invoice numbers for Kestrel begin with the current quarter. Kestrel pays every invoice within thirty days.',
}

/** A heading and two passages per topic. */
const notes = Object.entries(topics).map(
  ([name, text]) => [`memory/${name}.md`, `# About the ${name}\n\n${text.split('. ').join('.\n')}\n`] as const,
)

function storeOf(files: readonly (readonly [string, string])[]): IndexStore {
  const db = openForWriting(':memory:')
  createTables(db, { provider: 'openai-compatible', model: 'words', dimensions: 0 })
  const store = new IndexStore(db)
  put(store, files)
  return store
}

function put(store: IndexStore, files: readonly (readonly [string, string])[]): void {
  for (const [path, text] of files)
    store.replaceFile({ path, source: 'memory', hash: path, mtime: 0, size: text.length, text })
}

const calibrationOf = ({ db }: IndexStore) => getMeta(db, calibrationKey)

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)

describe('calibration', () => {
  it.each([0, 0.7])(
    'with five notes and cosines from %d, only the right note scores above the threshold',
    async (lowest) => {
      const { provider, vectorOf } = modelOf(lowest)
      const store = storeOf(notes)
      expect(await embedMissing(store, provider, { signal })).toMatchObject({ problem: undefined })
      const passages = store.passages?.sample(100) ?? []
      const cosines = passages.flatMap((one, at) =>
        passages.slice(at + 1).map((other) => dot(vectorOf(one.text), vectorOf(other.text))),
      )
      if (lowest > 0) {
        expect(Math.min(...cosines)).toBeGreaterThan(lowest - 0.05)
        expect(Math.max(...cosines)).toBeLessThan(0.92)
      }
      const question = 'boiler plumber harris'
      const measured = calibrationFor(question, parseCalibration(calibrationOf(store)))
      if (!measured) throw new Error('it was not calibrated')
      const scale = vectorScaleOf(measured)
      expect(scale.threshold).toBeGreaterThan(scale.background)
      expect(scale.threshold).toBeLessThan(1)
      const scoreOf = (asked: string, topic: string) =>
        Math.max(
          ...passages
            .filter(({ file }) => file.includes(topic))
            .map(({ text }) => vectorScore(dot(vectorOf(asked), vectorOf(text)), scale)),
        )
      for (const topic of Object.keys(topics).filter((name) => name !== 'boiler'))
        expect(scoreOf(question, topic), topic).toBeLessThan(Math.min(0.35, scoreOf(question, 'boiler')))
      for (const topic of Object.keys(topics))
        expect(scoreOf('sourdough starter hydration', topic), topic).toBeLessThan(0.35)
    },
  )

  it('does not depend on the order of the notes', async () => {
    const [one, other] = [storeOf(notes), storeOf(notes.toReversed())]
    await embedMissing(one, modelOf(0.7).provider, { signal })
    await embedMissing(other, modelOf(0.7).provider, { signal })
    expect(calibrationOf(one)).toBeDefined()
    expect(calibrationOf(other)).toBe(calibrationOf(one))
  })

  it('is measured again when the memory has grown by a fifth, not earlier', async () => {
    const { provider, asked } = modelOf(0)
    const store = storeOf(notes)
    await embedMissing(store, provider, { signal })
    const first = calibrationOf(store)
    const before = asked.length
    put(store, [['memory/one.md', 'The neighbour borrowed the long ladder until the weekend is over.\n']])
    await embedMissing(store, provider, { signal })
    expect(asked.length).toBe(before + 1)
    expect(calibrationOf(store)).toBe(first)
    put(store, [
      ['memory/two.md', 'The cat was vaccinated against rabies by the new veterinarian in town.\n'],
      ['memory/three.md', 'The bicycle chain has to be oiled every three hundred kilometres or so.\n'],
    ])
    await embedMissing(store, provider, { signal })
    expect(calibrationOf(store)).not.toBe(first)
  })

  it('is undefined for fewer than four passages', async () => {
    const store = storeOf(notes.slice(0, 1))
    await embedMissing(store, modelOf(0).provider, { signal })
    expect(store.passages?.counts()).toEqual({ passages: 2, embedded: 2 })
    expect(calibrationOf(store)).toBeUndefined()
  })

  it('enables a model only for the scripts that it knows', async () => {
    const chinese = ['锅炉', '提琴', '花园', '航班', '发票', '医院', '学校', '邮局', '车站', '厨房'].map(
      (thing, index) =>
        [
          `memory/zh${index}.md`,
          `# 关于${thing}的记录\n\n${thing}的师傅上周三下午来过家里一趟。\n\n下一次检查${thing}安排在明年春天。\n`,
        ] as const,
    )
    const english = Array.from({ length: 10 }, (_, index) => {
      const [thing, place] = [`gadget${index}`, `town${index}`]
      return [
        `memory/en${index}.md`,
        `# Notes on ${thing} from ${place}\n\nThe ${thing} was bought by uncle Tom in ${place} last summer.\n\nWhoever needs the ${thing} should ask around in ${place} first.\n`,
      ] as const
    })
    const store = storeOf([...english, ...chinese])
    const { provider } = modelOf(0.3, /[a-z0-9]+/g)
    await embedMissing(store, provider, { signal })
    const calibration = parseCalibration(calibrationOf(store))
    const [latin, cjk] = ['Who bought the gadget?', '锅炉的师傅什么时候来？'].map((query) =>
      calibrationFor(query, calibration),
    )
    expect([latin?.script, cjk?.script]).toEqual(['latin', 'cjk'])
    expect(latin && isOfUse(latin)).toBe(true)
    expect(cjk && isOfUse(cjk)).toBe(false)
    expect(weightsFor('auto', (latin && vectorScaleOf(latin)) || null).vector).toBeGreaterThan(0.25)
    expect(calibrationFor('котёл', calibration)?.script).toBe('latin')
  })

  it.each([
    ['that knows the language', true],
    ['that does not know it', false],
  ])('with unrelated notes, a model %s is enabled: %s', async (_name, reads) => {
    const unrelated = Array.from({ length: 24 }, (_, index) => {
      const word = (place: string) => `${place}${String.fromCharCode(97 + index)}word`
      const lines = ['one', 'two'].map((line) =>
        ['xa', 'xb', 'xc', 'xd', 'xe', 'xf', 'xg', 'xh'].map((w) => word(line + w)),
      )
      return [
        `memory/${index}.md`,
        `# ${word('title')}\n\n${lines.map((words) => words.join(' ')).join('.\n\n')}.\n`,
      ] as const
    })
    const { provider, vectorOf } = modelOf(0)
    const pairs = Object.values(languagePairs).flat()
    const reader: EmbeddingProvider = {
      ...provider,
      async embed(texts) {
        return texts.map((text) => {
          const pair = pairs.findIndex((both) => both.includes(text))
          return pair < 0
            ? vectorOf(text)
            : sumOf([
                [1, directionOf(`pair ${pair}`)],
                [1, directionOf(text)],
              ])
        })
      },
    }
    const store = storeOf(unrelated)
    await embedMissing(store, reads ? reader : provider, { signal })
    const measured = calibrationFor('what is there?', parseCalibration(calibrationOf(store)))
    expect(measured?.script).toBe('latin')
    expect(measured && isOfUse(measured)).toBe(reads)
  })
})
