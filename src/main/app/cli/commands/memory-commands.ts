import i18next from 'i18next'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onSystemError } from '#shared/util/errors.ts'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import { type CommonFlags, type WaitFlags, searchOptions, type SearchFlags } from '../flags.ts'
import { localMoment, type Output, printedFields } from '../cli-output.ts'
import type { ContractClient, SearchResult } from '#shared/contract/index.ts'
import { isRemoteEmbeddingProvider } from '#shared/util/providers.ts'
import { waitForVectors } from '../vectors.ts'
import { problemText, sayResult, t } from '../../texts.ts'
import { formatCondition, formatRemarks, formatResult } from '#shared/util/format-result.ts'

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
  const keptHistories = (await readdir(history).catch(onSystemError<string[]>([], 'ENOENT')))
    .filter((name) => /^repository\.git$|\.sqlite\.damaged-\w+$/.test(name))
    .map((name) => join(history, name))
  const counts = { agent, workspace, files, units, embedded, provider, model }
  const value = { ...counts, indexing: state !== 'ready', stale: !isSettled, indexBytes, problems, keptHistories }
  const vectors =
    provider === 'none' ? t('status.keywords') : t('status.vectors', { model: `${provider}/${model}`, embedded })
  const lines = [
    t('status.line', { workspace, files, units, vectors, megabytes: (indexBytes / 1e6).toFixed(1) }),
    ...(hasAnswered ? [] : [t('status.unanswered', { provider })]),
    ...problems.map((one) => {
      const { part, since, path, files = [] } = one
      const problem = problemText(one)
      const place = path === undefined || problem.includes(path) ? '' : t('status.place', { path })
      const time = localMoment(since).slice(0, 16)
      const fileList = files.map((file) => `\n    ${file}`).join('')
      return t('status.problem', { part: i18next.t(`health.part.${part}`), problem, place, time }) + fileList
    }),
    ...keptHistories.map((path) => t(path.endsWith('.git') ? 'status.earlier' : 'status.damaged', { path })),
  ]
  return { value, text: lines.join('\n') }
}

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
    text: t('status.indexed', { files, units, embedded, ms }),
    warning,
    isFailure,
  }
}

async function printTextsToSend(client: ContractClient, agent: string): Promise<void> {
  const { provider, model } = await client.search.status({ agent })
  if (!isRemoteEmbeddingProvider(provider)) return
  const { all, unsent } = await client.search.embeddingCost({ agent })
  const unsentCounts = { unsent: unsent.texts, unsentTokens: unsent.tokens }
  process.stderr.write(`${t('vectors.texts', { ...all, ...unsentCounts, model: `${provider}/${model}` })}\n`)
}

/** @throws AppError `index_unavailable` */
export async function searchMemory(
  { client }: PrimaryClient,
  { agent, json: isJson = false, ...flags }: CommonFlags & SearchFlags,
  query: string,
): Promise<Output> {
  const { vectorWaitMs, warning } = await waitForVectors(client, { agent }, flags.wait)
  const options = { ...searchOptions(flags), vectorWaitMs, showWeak: !isJson }
  const answer = await client.search.query({ agent, query, options })
  const { results, weak, provider, model, standstill, reading, notice, conditions = [], absent = [] } = answer
  const staleWarning =
    standstill === undefined ? reading && t('search.reading', reading) : t('search.stale', { reason: standstill })
  const { notes = [], chats = [] } = Object.groupBy(results, ({ source }) =>
    source === 'sessions' ? 'chats' : 'notes',
  )
  const maxWeak = Math.max(0, (flags.maxResults ?? Infinity) - results.length)
  const lines = [
    ...conditions.map((condition) => formatCondition(condition, sayResult)),
    ...(absent.length > 0 ? [t('search.absent', { words: absent.join(sayResult('comma')) })] : []),
    ...notes.map(lineOf),
    ...groupLines(t('search.chats'), chats),
    ...groupLines(t('search.weak'), weak.slice(0, maxWeak)),
  ]
  const found = results.map(({ path, startLine, snippet }) => `${path}:${startLine}:${snippet.replaceAll(/\s+/g, ' ')}`)
  const isEmpty = results.length === 0 && (flags.grep === true || weak.length === 0)
  const nothing = isEmpty && !isJson ? t('search.nothing') : undefined
  return {
    value: { query: answer.query, results: results.map(printedFields), provider, model, conditions: answer.conditions },
    text: (flags.grep ? found : lines).join('\n'),
    warning: [warning ?? staleWarning ?? notice?.message, nothing].filter(Boolean).join(t('common.semicolon')),
    isFailure: flags.failEmpty === true && results.length === 0,
  }
}

function lineOf(result: SearchResult): string {
  return formatResult(result) + formatRemarks(result, sayResult)
}

function groupLines(title: string, results: readonly SearchResult[]): string[] {
  return results.length === 0 ? [] : [title, ...results.map(lineOf)]
}

/** Lists the chats. Without `--private`, private ones have no title. */
export async function listChats(
  { client }: PrimaryClient,
  { agent, private: isPrivateShown = false }: CommonFlags,
): Promise<Output> {
  // Compares the chats with the notes first.
  await client.chats.madePrivate({ agent })
  const sessions = (await client.chats.list({ agent }))
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .map(({ id, title, createdAt, updatedAt, messages, pinned, isPrivate }) => {
      return { id, title: isPrivate && !isPrivateShown ? '' : title, createdAt, updatedAt, messages, pinned, isPrivate }
    })
  const lines = sessions.map(({ id, updatedAt, messages, title, isPrivate }) => {
    const time = localMoment(updatedAt).slice(0, 16).replace('T', ' ')
    const mark = isPrivate ? t('search.privateChat') : ''
    return `${id}  ${time}  ${String(messages).padStart(4)}  ${mark}${title.replaceAll(/\s+/g, ' ')}`
  })
  return { value: { sessions }, text: lines.join('\n') }
}
