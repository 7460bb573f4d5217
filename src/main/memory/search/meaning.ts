/** What search by meaning has to go on in one index, and what a provider would be sent of it. Reads only. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Meaning } from '../../../shared/contract/index.ts'
import { estimateTokens } from '../../../shared/tokens.ts'
import type { Calibration } from '../calibrated.ts'
import { hashOf } from '../passage-store.ts'
import { passagesOf } from '../passages.ts'
import type { Db } from '../schema.ts'
import { isOfUse } from './calibrate.ts'

/** Chunks that are cut before others have their turn. */
const pageSize = 100

interface ChunkRow {
  readonly id: number
  readonly heading: string
  readonly text: string
  readonly startLine: number
  readonly endLine: number
}

/**
 * @param asked the model whose cached vectors count as sent
 * @param calibration of the model in use, where there is one
 */
export async function accountOfMeaning(
  db: Db,
  { provider, model }: { readonly provider: string; readonly model: string },
  calibration: Calibration | undefined,
  signal?: AbortSignal,
): Promise<Meaning> {
  const page = db.prepare<[number, number], ChunkRow>(
    'SELECT id, heading, text, start_line AS startLine, end_line AS endLine FROM chunks WHERE id > ? ORDER BY id LIMIT ?',
  )
  const cached = new Set(
    db
      .prepare<[string, string], string>('SELECT hash FROM embedding_cache WHERE provider = ? AND model = ?')
      .pluck()
      .all(provider, model),
  )
  const seen = new Set<string>()
  const all = { texts: 0, tokens: 0 }
  const unsent = { texts: 0, tokens: 0 }
  for (let chunks = page.all(0, pageSize); chunks.length > 0; chunks = page.all(chunks.at(-1)?.id ?? 0, pageSize)) {
    for (const { text } of chunks.flatMap((chunk) => passagesOf(chunk))) {
      const hash = hashOf(text)
      if (seen.has(hash)) continue
      seen.add(hash)
      const tokens = estimateTokens(text)
      for (const sum of cached.has(hash) ? [all] : [all, unsent]) {
        sum.texts += 1
        sum.tokens += tokens
      }
    }
    await turn()
    signal?.throwIfAborted()
  }
  const scripts = (calibration?.scripts ?? []).map((one) => ({
    script: one.script,
    worth: one.worth,
    takesPart: isOfUse(one),
  }))
  return { all, unsent, scripts }
}
