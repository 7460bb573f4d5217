import { setImmediate as turn } from 'node:timers/promises'
import type { EmbeddingQuality } from '#shared/contract/index.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import type { Calibration } from '../ranking/calibrated.ts'
import { hashOf } from '../indexing/prepare-file.ts'
import { passagesOf } from '../indexing/passages.ts'
import { questionsOf, sampledPassage, sampleSize } from '../ranking/pseudo-questions.ts'
import { cacheKey, type Db } from '../indexing/index-schema.ts'
import { isOfUse } from '../ranking/calibrate.ts'

const pageSize = 100

interface ChunkRow {
  readonly id: number
  readonly file: string
  readonly heading: string
  readonly text: string
  readonly startLine: number
  readonly endLine: number
}

interface PassageText {
  readonly hash: string
  readonly file: string
  readonly text: string
  readonly nextText: string | undefined
}

interface RequestedModel {
  readonly provider: string
  readonly address?: string | undefined
  readonly model: string
  readonly dimensions?: number | undefined
}

interface CalibrationState {
  readonly calibration: Calibration | undefined
  /** True if the calibration is known, or known to be impossible. */
  readonly isMeasured: boolean
}

/**
 * Counts the texts that the model would be sent, and reports the calibration.
 * @param asked the model whose cached vectors count as already sent; with any dimensions if undefined
 * @param known calibration of the model in use
 * @throws the signal's reason if aborted
 */
export async function embeddingReport(
  db: Db,
  { model, dimensions, ...asked }: RequestedModel,
  { calibration, isMeasured }: CalibrationState,
  signal?: AbortSignal,
): Promise<EmbeddingQuality> {
  const page = db.prepare<[number, number], ChunkRow>(
    `SELECT id, source || '/' || path AS file, heading, text, start_line AS startLine, end_line AS endLine
     FROM chunks WHERE id > ? ORDER BY id LIMIT ?`,
  )
  const passages = new Map<string, PassageText>()
  for (let chunks = page.all(0, pageSize); chunks.length > 0; chunks = page.all(chunks.at(-1)?.id ?? 0, pageSize)) {
    for (const chunk of chunks) {
      const texts = passagesOf(chunk).map(({ text }) => text)
      for (const [place, text] of texts.entries()) {
        const hash = hashOf(text)
        if (!passages.has(hash)) passages.set(hash, { hash, file: chunk.file, text, nextText: texts[place + 1] })
      }
    }
    await turn()
    signal?.throwIfAborted()
  }
  const isBuiltin = asked.provider === 'builtin'
  const known = new Set(isBuiltin ? ofDigests(db) : ofCache(db, cacheKey(asked), model, dimensions))
  const all = [...passages.values()]
  const isUnsent = (hash: string) => !known.has(hash)
  const unsent = all.filter(({ hash }) => isUnsent(hash)).map(({ text }) => text)
  const scripts = (calibration?.scripts ?? []).map((one) => ({
    script: one.script,
    worth: one.worth,
    takesPart: isOfUse(one),
  }))
  return {
    all: sumOf(all.map(({ text }) => text)),
    unsent: sumOf(unsent),
    // The built-in model does not cache the vectors of questions.
    questions: sumOf(isBuiltin ? [] : questionsAbout(all).filter((text) => isUnsent(hashOf(text)))),
    isMeasured,
    scripts,
  }
}

function ofCache(db: Db, provider: string, model: string, dimensions: number | undefined): string[] {
  return db
    .prepare<[string, string, number | null], string>(
      'SELECT hash FROM embedding_cache WHERE provider = ? AND model = ? AND dims = coalesce(?, dims)',
    )
    .pluck()
    .all(provider, model, dimensions ?? null)
}

function ofDigests(db: Db): string[] {
  return db
    .prepare<[], string>('SELECT hash FROM passages JOIN passage_digests ON passage_id = id WHERE vector IS NOT NULL')
    .pluck()
    .all()
}

function questionsAbout(passages: readonly PassageText[]): string[] {
  const sample = passages
    .toSorted((one, other) => (one.hash < other.hash ? -1 : 1))
    .slice(0, sampleSize)
    .map(({ file, text, nextText }) => sampledPassage(file, text, nextText))
  const known = new Set(passages.map(({ text }) => text))
  return questionsOf(sample).texts.filter((text) => !known.has(text))
}

function sumOf(texts: readonly string[]): { texts: number; tokens: number } {
  return { texts: texts.length, tokens: texts.reduce((sum, text) => sum + estimateTokens(text), 0) }
}
