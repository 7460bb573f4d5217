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
  const { warning, isFailure } = await waitForVectors(client, agent, wait)
  const { files, chunks, embedded } = await client.search.status({ agent })
  const ms = Math.round(performance.now() - startedAt)
  return {
    value: { files, chunks, embedded, ms },
    text: `${files} files, ${chunks} chunks, ${embedded} with vectors, ${ms} ms`,
    ...(warning === undefined ? {} : { warning, isFailure }),
  }
}

async function printTextsToSend(client: ContractClient, agent: string): Promise<void> {
  const { provider, model } = await client.search.status({ agent })
  if (!isRemoteEmbeddingProvider(provider)) return
  const { all, unsent, questions } = await client.search.meaning({ agent })
  const remaining = { texts: unsent.texts + questions.texts, tokens: unsent.tokens + questions.tokens }
  process.stderr.write(
    `${all.texts} passages, about ${all.tokens} tokens; ${remaining.texts} texts (${remaining.tokens} tokens) still go to ${provider}/${model}\n`,
  )
}
