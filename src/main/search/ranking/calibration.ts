/**
 * Learns what cosines mean in one index and model (M17), from questions that the memory itself makes: how near a question
 * comes to passages that do not answer it, and how well the model finds by one text another that belongs to it. It is
 * measured anew when the index has grown or shrunk by a fifth, and depends on nothing but the indexed texts.
 */
import { scripts } from '#shared/contract/search.ts'
import { AppError } from '#shared/util/errors.ts'
import type { EmbeddingProvider, ModelQuality } from '../embeddings/embedding-provider.ts'
import {
  calibrationKey,
  minPassages,
  parseCalibration,
  type Calibration,
  type ScriptCalibration,
} from './calibrated.ts'
import { floatsOf } from '../indexing/passage-store.ts'
import { hashOf } from '../indexing/prepare-file.ts'
import { distinct, questionsOf, sampledPassage, sampleSize, type Pair, type Probe } from './pseudo-questions.ts'
import { leastWorth } from './calibrate.ts'
import { cacheKey, getMeta } from '../indexing/index-schema.ts'
import type { IndexStore } from '../indexing/index-store.ts'

const minProbes = 3
const minPairs = 6
/** Measured anew when there are this many times as many passages, or as few. */
const growth = 1.2
/** A model that is not known to be good is taken for one that is not. */
const unknownWorth = 0.25
/** Chance alone gets a model less than this among the pairs of a language. */
const readsLanguage = 0.2
/** What reading a language is worth at most, where the memory itself cannot tell. */
const mostByLanguage = 0.4

/** @returns false where what is known still holds @throws AppError of the provider */
export async function calibrate(store: IndexStore, provider: EmbeddingProvider, signal: AbortSignal): Promise<boolean> {
  const { passages } = store
  if (!passages) return false
  const { embedded } = passages.counts()
  const known = parseCalibration(getMeta(store.db, calibrationKey))
  if (embedded < minPassages || (known && isAbout(known.passages, embedded))) return false
  const all = passages.sample(sampleSize)
  const sample = distinct(all)
  const vectors = sample.map(({ vector }) => vector)
  const { groups, probes, pairs, language, texts } = questionsOf(
    sample.map(({ file, text, chunk, place }) => sampledPassage(file, text, passages.textAfter(chunk, place))),
  )
  const vectorOf = await embedTexts(store, provider, texts, signal)
  const measured = scripts.map((script) =>
    measureScript(
      script,
      probes.filter((probe) => probe.script === script),
      worthIn(
        pairs.filter((pair) => pair.script === script),
        language.filter((pair) => pair.script === script),
        vectorOf,
      ),
      vectorOf,
      {
        groups,
        vectors,
        texts: sample.map(({ text }) => text),
        total: (embedded * sample.length) / all.length,
        judged: provider.priorQuality?.[script],
        nearnessTo: (question) => nearnessTo(provider, question),
      },
    ),
  )
  const calibration: Calibration = { passages: embedded, scripts: measured.filter((one) => one !== undefined) }
  store.transaction(() => {
    store.setMeta(calibrationKey, JSON.stringify(calibration))
    passages.recentre(meanOf(vectors), `${embedded}`)
  })
  return true
}

function nearnessTo({ similarity }: EmbeddingProvider, question: string) {
  const of = similarity?.similarityTo(question)
  return similarity && of && ((passage: string, cosine: number) => of(similarity.digestOf(passage), cosine))
}

function isAbout(one: number, other: number): boolean {
  return one * growth > other && other * growth > one
}

interface Known {
  /** What each is part of: nothing of the same group is unrelated. */
  readonly groups: readonly string[]
  readonly vectors: readonly Float32Array[]
  readonly texts: readonly string[]
  /** Passages of the index that say something of their own, of which these are a sample. */
  readonly total: number
  readonly judged: ModelQuality | undefined
  /** Of a question, where it is not the cosine that tells. */
  readonly nearnessTo: (question: string) => ((passage: string, cosine: number) => number) | undefined
}

/** Of so many, by their cosines, the nearest is chosen. */
const nearest = 5

function measureScript(
  script: Calibration['scripts'][number]['script'],
  probes: readonly Probe[],
  measuredWorth: number,
  vectorOf: (text: string) => Float32Array | undefined,
  known: Known,
): ScriptCalibration | undefined {
  const measured = probes.flatMap(({ text, file }) => {
    const vector = vectorOf(text)
    const one = vector && nearestElsewhere(text, vector, file, known)
    return one ? [one] : []
  })
  if (measured.length < minProbes) return undefined
  const tops = measured.map(({ top }) => top)
  // Of more passages the nearest is nearer: as much for each doubling as from half of the sample to all of it.
  const gain = Math.max(0, mean(measured.map(({ top, topOfHalf }) => top - topOfHalf)))
  const doublings = Math.log2(Math.max(1, known.total / known.vectors.length))
  const worth = Math.max(known.judged?.worth ?? 0, measuredWorth)
  return {
    script,
    worth,
    background: mean(measured.map(({ average }) => average)),
    unanswered: mean(tops) + gain * doublings,
    spread: Math.max(deviation(tops), mean(measured.map(({ spread }) => spread)) / 4),
    ...(known.judged?.margin ? { margin: known.judged.margin } : {}),
  }
}

/** The nearest passage of other groups; the same among every second of them; mean and deviation of all cosines. */
function nearestElsewhere(question: string, vector: Float32Array, group: string, known: Known) {
  const { groups, vectors, texts } = known
  const others = vectors
    .map((other, index) => ({ index, cosine: groups[index] === group ? -2 : dot(vector, other) }))
    .filter(({ cosine }) => cosine > -2)
  if (others.length < 2) return undefined
  const average = mean(others.map(({ cosine }) => cosine))
  const spread = deviation(others.map(({ cosine }) => cosine))
  others.sort((one, other) => other.cosine - one.cosine)
  const nearness = known.nearnessTo(question) ?? ((_passage, cosine) => cosine)
  const topOf = (some: typeof others) =>
    Math.max(...some.slice(0, nearest).map(({ index, cosine }) => nearness(texts[index] ?? '', cosine)), average)
  return { top: topOf(others), topOfHalf: topOf(others.filter(({ index }) => index % 2 === 0)), average, spread }
}

/**
 * By the texts of the memory that belong together; where its notes have nothing to do with each other, by whether the model
 * reads the language at all.
 */
function worthIn(
  pairs: readonly Pair[],
  language: readonly Pair[],
  vectorOf: (text: string) => Float32Array | undefined,
): number {
  if (pairs.length < minPairs) return unknownWorth
  const own = worthOf(pairs, vectorOf)
  if (own >= leastWorth) return own
  const general = worthOf(language, vectorOf)
  return general >= readsLanguage ? Math.min(mostByLanguage, general) : own
}

/** In [0, 1]: 0 for a model that finds a text by the one that belongs to it no better than chance. */
function worthOf(pairs: readonly Pair[], vectorOf: (text: string) => Float32Array | undefined): number {
  const known = pairs.flatMap(({ one, other }) => {
    const [asked, wanted] = [vectorOf(one), vectorOf(other)]
    return asked && wanted ? [{ asked, wanted }] : []
  })
  let reciprocal = 0
  let chance = 0
  for (const [index, { asked, wanted }] of known.entries()) {
    const own = dot(asked, wanted)
    const nearer = known.filter((other, at) => at !== index && dot(asked, other.wanted) >= own).length
    reciprocal += 1 / (nearer + 1)
    chance += 1 / (index + 1)
  }
  if (known.length === 0) return 0
  const [found, byChance] = [reciprocal / known.length, chance / known.length]
  return Math.min(1, Math.max(0, (found - byChance) / (1 - byChance)))
}

/** Vectors of texts that are no passages, from the cache or the provider. */
async function embedTexts(
  store: IndexStore,
  provider: EmbeddingProvider,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<(text: string) => Float32Array | undefined> {
  const vectors = new Map<string, Float32Array>()
  const { model, similarity } = provider
  const key = cacheKey(provider)
  for (const text of similarity ? [] : texts) {
    const cached = store.cachedVector(key, model, hashOf(text), store.dimensions)
    if (cached) vectors.set(text, floatsOf(cached.vector))
  }
  const missing = texts.filter((text) => !vectors.has(text))
  for (let at = 0; at < missing.length; at += provider.batchSize) {
    const batch = missing.slice(at, at + provider.batchSize)
    const answer = await embedOrNone(provider, batch, signal)
    store.transaction(() => {
      for (const [index, text] of batch.entries()) {
        const vector = answer[index]
        if (!vector || vector.length !== store.dimensions) continue
        if (!similarity) store.cacheVector(key, model, hashOf(text), vector)
        vectors.set(text, vector)
      }
    })
  }
  return (text) => vectors.get(text)
}

/** A text that a model does not take is a question less. */
async function embedOrNone(provider: EmbeddingProvider, texts: readonly string[], signal: AbortSignal) {
  try {
    return await provider.embed(texts, signal)
  } catch (error) {
    if (error instanceof AppError && error.code === 'provider_error') return []
    throw error
  }
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const centre = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors)
    for (let at = 0; at < centre.length; at += 1) centre[at] = (centre[at] ?? 0) + (vector[at] ?? 0) / vectors.length
  return centre
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number)
  return sum
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

function deviation(values: readonly number[]): number {
  const average = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - average) ** 2)))
}
