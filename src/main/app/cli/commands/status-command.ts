import { setTimeout as sleep } from 'node:timers/promises'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import type { CommonFlags } from '../flags.ts'
import type { Output } from '../cli-output.ts'

const probeTimeoutMs = 1000

export async function showStatus({ client }: PrimaryClient, { agent }: CommonFlags): Promise<Output> {
  const { settled: isSettled, status: index, indexBytes } = await client.search.settle({ agent })
  // Without vectors only a request shows whether the provider works.
  const needsProbe = index.provider !== 'none' && index.embedded === 0
  const probe = needsProbe ? client.health.tryAgain({ agent }).then(() => true) : true
  const hasAnswered = await Promise.race([probe, sleep(probeTimeoutMs, false, { ref: false })])
  const { files, chunks, embedded, provider, model, state } = await client.search.status({ agent })
  const problems = await client.health.problems({ agent })
  const workspace = (await client.agents.list()).find(({ id }) => id === agent)?.workspace ?? ''
  const { all, scripts, isMeasured } = await client.search.meaning({ agent })
  const value = {
    agent,
    workspace,
    files,
    chunks,
    embedded,
    provider,
    model,
    passages: all.texts,
    passageTokens: all.tokens,
    meaning: scripts,
    indexing: state !== 'ready',
    stale: !isSettled,
    indexBytes,
    problems,
  }
  const vectors = provider === 'none' ? 'keyword search only' : `${provider}/${model}, ${embedded} with vectors`
  const lines = [
    `${workspace}: ${files} files, ${chunks} chunks, ${vectors}; index ${(indexBytes / 1e6).toFixed(1)} MB`,
    ...scripts.map(({ script, worth, takesPart }) =>
      takesPart
        ? `meaning: used for ${script} text, quality ${worth.toFixed(2)}`
        : `meaning: not used for ${script} text: the model cannot tell such texts apart`,
    ),
    ...(provider !== 'none' && chunks > 0 && embedded === chunks && isMeasured && scripts.length === 0
      ? ['meaning: not used: too few passages to calibrate the model']
      : []),
    ...(hasAnswered ? [] : [`meaning: ${provider} has not answered yet`]),
    ...problems.map(({ part, code, since, message, path, files = [] }) => {
      const problemText = message === '' ? code : message
      const location = path === undefined || problemText.includes(path) ? '' : ` (${path})`
      const fileList = files.map((file) => `\n    ${file}`).join('')
      return `! ${part}: ${problemText}${location}, since ${new Date(since).toISOString()}${fileList}`
    }),
  ]
  return { value, text: lines.join('\n') }
}
