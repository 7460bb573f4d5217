import { setImmediate as turn } from 'node:timers/promises'
import type { EmbeddingCost } from '#shared/contract/index.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import { cacheKey, type Db } from '../indexing/index-schema.ts'
import { fromText } from '../units/file-update.ts'
import { bodyOf, unitHash } from '../units/prepare-units.ts'
import { isSendable, type UnitToEmbed } from '../units/unit-statements.ts'

const pageSize = 500

interface CostModel extends Pick<EmbeddingProvider, 'provider' | 'address' | 'model'> {
  /** Undefined if cached vectors of any length count as sent. */
  readonly dimensions?: number | undefined
  /** False leaves out private units and chats, which the model does not receive. */
  readonly isLocal: boolean
}

interface Row extends Omit<UnitToEmbed, 'isPrivate'> {
  readonly vector: number | null
}

/** Counts the distinct texts that the model would receive. @throws the signal's reason if aborted */
export async function embeddingCost(
  db: Db,
  { model, dimensions, isLocal, ...asked }: CostModel,
  signal?: AbortSignal,
): Promise<EmbeddingCost> {
  const page = db.prepare<[number, number], Row>(
    `SELECT id, text, label, vector FROM units WHERE id > ? ${isLocal ? '' : `AND ${isSendable}`} ORDER BY id LIMIT ?`,
  )
  const isCached = db
    .prepare<[string, string, string, number | null], number>(
      'SELECT 1 FROM embedding_cache WHERE provider = ? AND model = ? AND hash = ? AND dims = coalesce(?, dims) LIMIT 1',
    )
    .pluck()
  const hasVector = ({ vector }: Row, hash: string) =>
    asked.provider === 'builtin'
      ? vector === fromText
      : isCached.get(cacheKey(asked), model, hash, dimensions ?? null) !== undefined
  const counted = new Set<string>()
  const all = { texts: 0, tokens: 0 }
  const unsent = { texts: 0, tokens: 0 }
  for (let rows = page.all(0, pageSize); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0, pageSize)) {
    for (const row of rows) {
      const text = bodyOf(row)
      const hash = unitHash(text)
      if (counted.has(hash)) continue
      counted.add(hash)
      const tokens = estimateTokens(text)
      for (const sum of hasVector(row, hash) ? [all] : [all, unsent]) {
        sum.texts += 1
        sum.tokens += tokens
      }
    }
    await turn()
    signal?.throwIfAborted()
  }
  return { all, unsent }
}
