import type { ContractClient, IndexStatus } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { problemText, t } from '../texts.ts'

/** Timeout for a query vector in the terminal, ms: a complete answer matters more than speed. */
const terminalVectorWaitMs = 30_000
const progressIntervalMs = 5000

/**
 * Waits until the index is up to date, and with `shouldWait` until all vectors exist. Prints progress to stderr.
 * @returns `isFailure`: true if the provider failed, not only some texts; `vectorWaitMs`: timeout for the vector of a
 * query, undefined for the default
 * @throws AppError `index_unavailable`
 */
export async function waitForVectors(
  client: ContractClient,
  index: Parameters<ContractClient['search']['status']>[0],
  shouldWait: boolean,
) {
  if (!shouldWait) {
    assertUsable((await client.search.settle(index)).status)
    return { warning: undefined, isFailure: false, vectorWaitMs: undefined }
  }
  const timer = setInterval(() => {
    void client.search.status(index).then(printProgress, () => undefined)
  }, progressIntervalMs)
  try {
    const { status } = await client.search.settle({ ...index, vectors: true })
    assertUsable(status)
    return { ...checkVectors(status), vectorWaitMs: terminalVectorWaitMs }
  } finally {
    clearInterval(timer)
  }
}

/** Refuses to search without a usable index: an empty result would mislead. @throws AppError `index_unavailable` */
function assertUsable({ state, problems }: IndexStatus): void {
  if (state !== 'failed') return
  const cause = problems.find(({ code }) => code === 'index_failed')?.message ?? 'it cannot be opened'
  throw new AppError('index_unavailable', `the search index is unavailable: ${cause}`)
}

function checkVectors({ provider, embedded, units, problems }: IndexStatus) {
  if (provider === 'none' || embedded >= units) return { warning: undefined, isFailure: false }
  const cause = problems.find(({ code }) => /^(provider_|no_|texts_)/.test(code))
  const counts = { missing: units - embedded, units }
  const reason = cause && t('vectors.because', { reason: problemText({ part: 'embeddings', ...cause }) })
  const warning = t('vectors.missing', counts) + (reason ?? '')
  return { warning, isFailure: cause?.code !== 'texts_refused' && cause?.code !== 'passages_local' }
}

function printProgress({ provider, embedded, units, etaMs }: IndexStatus): void {
  if (provider === 'none' || embedded >= units) return
  const counts = { embedded, units }
  const remainingTime = etaMs === undefined ? '' : t('vectors.eta', { seconds: Math.ceil(etaMs / 1000) })
  process.stderr.write(`${t('vectors.progress', counts)}${remainingTime}\n`)
}
