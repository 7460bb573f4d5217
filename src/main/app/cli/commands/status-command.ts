import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onSystemError } from '#shared/util/errors.ts'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import type { CommonFlags } from '../flags.ts'
import type { Output } from '../cli-output.ts'

const probeTimeoutMs = 1000

export async function showStatus({ client, base }: PrimaryClient, { agent }: CommonFlags): Promise<Output> {
  const { settled: isSettled, status: index, indexBytes } = await client.search.settle({ agent })
  // Without vectors only a request shows whether the provider works.
  const needsProbe = index.provider !== 'none' && index.embedded === 0
  const probe = needsProbe ? client.health.tryAgain({ agent }).then(() => true) : true
  const hasAnswered = await Promise.race([probe, sleep(probeTimeoutMs, false, { ref: false })])
  const { files, units, embedded, provider, model, state } = await client.search.status({ agent })
  const problems = await client.health.problems({ agent })
  const workspace = (await client.agents.list()).find(({ id }) => id === agent)?.workspace ?? ''
  const { folders, singleFolder } = base
  const { history } = singleFolder ? folders.folder(singleFolder.folder) : folders.agent(agent)
  const keptHistories = await findKeptHistories(history)
  const value = {
    agent,
    workspace,
    files,
    units,
    embedded,
    provider,
    model,
    indexing: state !== 'ready',
    stale: !isSettled,
    indexBytes,
    problems,
    keptHistories,
  }
  const vectors = provider === 'none' ? 'keyword search only' : `${provider}/${model}, ${embedded} with vectors`
  const lines = [
    `${workspace}: ${files} files, ${units} entries, ${vectors}; index ${(indexBytes / 1e6).toFixed(1)} MB`,
    ...(hasAnswered ? [] : [`${provider} has not answered yet`]),
    ...problems.map(({ part, code, since, message, path, files = [] }) => {
      const problemText = message === '' ? code : message
      const location = path === undefined || problemText.includes(path) ? '' : ` (${path})`
      const fileList = files.map((file) => `\n    ${file}`).join('')
      return `! ${part}: ${problemText}${location}, since ${new Date(since).toISOString()}${fileList}`
    }),
    ...keptHistories.map((path) =>
      path.endsWith('.git')
        ? `earlier history: ${path}; \`commonplace history import --git "${path}"\` adds it, then it can be deleted`
        : `damaged history, kept aside: ${path}; it can be deleted`,
    ),
  ]
  return { value, text: lines.join('\n') }
}

/** Returns the paths of an earlier history in Git and of damaged histories in a folder. */
async function findKeptHistories(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(onSystemError<string[]>([], 'ENOENT'))
  return names.filter((name) => /^repository\.git$|\.sqlite\.damaged-\w+$/.test(name)).map((name) => join(folder, name))
}
