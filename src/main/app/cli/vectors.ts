import type { ContractClient, IndexStatus } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'

/** Stands in the help of every command that waits. */
export const vectorHelp =
  'Where an embedding provider is set, the command first waits until every passage has its vector and says on\n' +
  'stderr how far that is. If the provider fails, search and explain answer by keywords, say so on stderr and\n' +
  'exit 0; index and eval, whose point the vectors were, exit 1. With --no-wait nothing is waited for.'

export interface VectorWait {
  /** Why vectors are missing, in one line. */
  readonly warning: string | undefined
  /** It is the provider that fails, and not some texts that it does not take. */
  readonly isFailure: boolean
  /** How long a query may wait for its own vector; undefined for the app's own measure. */
  readonly vectorWaitMs: number | undefined
}

/** Whoever asks in a terminal would rather wait for a slow provider than get half an answer. */
const patientMs = 30_000
/** Between two lines of progress where nobody watches, ms; on a terminal one line is written over. */
const lineEveryMs = 5000
const lookEveryMs = 200
const terminalEveryMs = 100

/** Waits until the index is in step with the files, and, unless it is not to, for the vectors. */
export async function waitForVectors(client: ContractClient, agent: string, wait: boolean): Promise<VectorWait> {
  if (!wait) {
    assertUsable((await client.search.settle({ agent })).status)
    return { warning: undefined, isFailure: false, vectorWaitMs: undefined }
  }
  const line = progressLine()
  const timer = setInterval(() => {
    void client.search.status({ agent }).then(line.show, () => undefined)
  }, lookEveryMs)
  try {
    const { status } = await client.search.settle({ agent, vectors: true })
    assertUsable(status)
    return { ...shortfall(status), vectorWaitMs: patientMs }
  } finally {
    clearInterval(timer)
    line.end()
  }
}

/** Nothing found in an index that is not there says nothing. */
function assertUsable({ state, problems }: IndexStatus): void {
  if (state !== 'failed') return
  const why = problems.find(({ code }) => code === 'index_failed')?.message ?? 'it cannot be opened'
  throw new AppError('index_unavailable', `the search index is unavailable: ${why}`)
}

function shortfall({ provider, embedded, chunks, problems }: IndexStatus): Omit<VectorWait, 'vectorWaitMs'> {
  if (provider === 'none' || embedded >= chunks) return { warning: undefined, isFailure: false }
  const why = problems.find(({ code }) => /^(provider_|no_|texts_)/.test(code))
  const warning = `${chunks - embedded} of ${chunks} passages have no vector${why ? `: ${why.message}` : ''}`
  return { warning, isFailure: why?.code !== 'texts_refused' && why?.code !== 'passages_local' }
}

function progressLine() {
  const { stderr } = process
  let shownAt = performance.now() - (stderr.isTTY ? terminalEveryMs : 0)
  let isOpen = false
  return {
    show({ provider, embedded, chunks, etaMs }: IndexStatus): void {
      const now = performance.now()
      if (provider === 'none' || embedded >= chunks) return
      if (now - shownAt < (stderr.isTTY ? terminalEveryMs : lineEveryMs)) return
      shownAt = now
      const left = etaMs === undefined ? '' : `, ${Math.ceil(etaMs / 1000)} s left`
      const text = `${embedded}/${chunks} vectors${left}`
      isOpen = stderr.isTTY
      stderr.write(stderr.isTTY ? `\r\u001B[K${text}` : `${text}\n`)
    },
    end(): void {
      if (isOpen) stderr.write('\r\u001B[K')
    },
  }
}
