import type { ContractClient } from '#shared/contract/index.ts'
import { isRemoteEmbeddingProvider } from '#shared/util/providers.ts'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import type { CommonFlags, WaitFlags } from '../flags.ts'
import type { Output } from '../cli-output.ts'
import { waitForVectors } from '../vectors.ts'

/** @throws AppError `index_unavailable` */
export async function indexFiles(
  { client }: PrimaryClient,
  { agent, force, wait }: CommonFlags & WaitFlags & { force?: boolean },
): Promise<Output> {
  const startedAt = performance.now()
  await client.search.settle({ agent })
  if (force) await client.search.reindex({ agent })
  await printTextsToSend(client, agent)
  const { warning, isFailure } = await waitForVectors(client, { agent }, wait)
  const { files, units, embedded } = await client.search.status({ agent })
  const ms = Math.round(performance.now() - startedAt)
  return {
    value: { files, units, embedded, ms },
    text: `${files} files, ${units} entries, ${embedded} with vectors, ${ms} ms`,
    warning,
    isFailure,
  }
}

async function printTextsToSend(client: ContractClient, agent: string): Promise<void> {
  const { provider, model } = await client.search.status({ agent })
  if (!isRemoteEmbeddingProvider(provider)) return
  const { all, unsent } = await client.search.embeddingCost({ agent })
  process.stderr.write(
    `${all.texts} texts, about ${all.tokens} tokens; ${unsent.texts} (${unsent.tokens} tokens) still go to ${provider}/${model}\n`,
  )
}
