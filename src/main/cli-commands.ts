/** What each terminal command does: its JSON value, and the same for a reader. */
import type { ContractClient, SearchResponse, SearchResult, Verdict } from '../shared/contract/index.ts'
import { AppError } from '../shared/errors.ts'
import { messageText, noUsage, type Message, type Usage } from '../shared/messages.ts'
import { createApp, openBase, type AppBase, type AppOptions } from './app.ts'
import type { CommonFlags } from './cli.ts'
import { evaluate as measure, readQuestions } from './memory/index.ts'
import { askOwner, ownerPlace, type Runtime } from './owner/index.ts'
import { describeProblems } from './settings/index.ts'

export interface Output {
  readonly value: unknown
  readonly text: string
}

export interface SearchFlags {
  readonly maxResults?: number
  readonly minScore?: number
}

export interface ExplainFlags extends SearchFlags {
  readonly why?: string
}

export interface EvalFlags extends SearchFlags {
  readonly queries: string
  readonly offTopic?: string
  readonly provider?: 'none' | 'openai' | 'gemini' | 'openai-compatible' | 'local'
}

export async function status({ client }: Runtime, { agent }: CommonFlags): Promise<Output> {
  const { settled, status: index } = await client.search.settle({ agent })
  const { files, chunks, provider, model, state, problems } = index
  const workspace = (await client.agents.list()).find(({ id }) => id === agent)?.workspace ?? ''
  const value = {
    agent,
    workspace,
    files,
    chunks,
    provider,
    model,
    indexing: state !== 'ready',
    stale: !settled,
    problems,
  }
  const lines = [
    `${workspace}: ${files} files, ${chunks} chunks, ${provider === 'none' ? 'keyword search only' : `${provider}/${model}`}`,
    ...problems.map((problem) => `! ${problem.message}`),
  ]
  return { value, text: lines.join('\n') }
}

export async function index({ client }: Runtime, { agent, force }: CommonFlags & { force?: boolean }): Promise<Output> {
  const started = performance.now()
  const { status: settled } = await client.search.settle({ agent })
  const { files, chunks, embedded } = force ? await client.search.reindex({ agent }) : settled
  const ms = Math.round(performance.now() - started)
  return {
    value: { files, chunks, embedded, ms },
    text: `${files} files, ${chunks} chunks, ${embedded} with vectors, ${ms} ms`,
  }
}

export async function search(
  { client }: Runtime,
  { agent, ...flags }: CommonFlags & SearchFlags,
  query: string,
): Promise<Output> {
  await client.search.settle({ agent })
  const { results, provider, model, stale, notice } = await client.search.query({
    agent,
    query,
    options: searchOptions(flags),
  })
  const value = { results: results.map(withoutExtras), provider, model, stale }
  const lines = results.map(
    ({ path, startLine, endLine, score, snippet }) =>
      `${score.toFixed(2)}  ${path}:${startLine}-${endLine}\n${indent(snippet)}`,
  )
  if (notice) lines.push(`(${notice.message})`)
  return { value, text: lines.length > 0 ? lines.join('\n') : 'Nothing found.' }
}

export async function explain(
  { client }: Runtime,
  { agent, ...flags }: CommonFlags & ExplainFlags,
  query: string,
): Promise<Output> {
  const why = flags.why === undefined ? undefined : parsePlace(flags.why)
  await client.search.settle({ agent })
  const options = searchOptions(flags)
  const explanation = await client.search.explain({ agent, query, options, ...(why ? { why } : {}) })
  const candidates = explanation.candidates.map(({ verdict, ...candidate }) => ({
    ...candidate,
    verdict: verdictText(verdict),
  }))
  const value = {
    ...explanation,
    candidates,
    ...(explanation.why
      ? {
          why: {
            ...explanation.why,
            candidate:
              candidates.find(
                ({ path, startLine, endLine }) => why?.path === path && startLine <= why.line && why.line <= endLine,
              ) ?? null,
          },
        }
      : {}),
  }
  const lines = candidates.map(
    ({ path, startLine, endLine, score, vector, text, verdict }) =>
      `${score.toFixed(3)}  vector ${vector ? vector.score.toFixed(3) : 'off'}  text ${text ? text.score.toFixed(3) : 'off'}  ${path}:${startLine}-${endLine}  ${verdict}`,
  )
  if (explanation.why)
    lines.push(
      `${explanation.why.path}:${explanation.why.line}: ${explanation.why.reason}, rank ${explanation.why.rank ?? '–'}`,
    )
  return { value, text: lines.length > 0 ? lines.join('\n') : 'No candidates.' }
}

export async function evaluate({ client }: Runtime, flags: CommonFlags & EvalFlags): Promise<Output> {
  const { agent } = flags
  const questions = await readQuestions(flags.queries)
  const offTopic = flags.offTopic === undefined ? undefined : await readQuestions(flags.offTopic)
  const started = performance.now()
  const { status: settled } = await client.search.settle({ agent })
  const indexMs = Math.round(performance.now() - started)
  const settings = await client.search.settings({ agent })
  const report = await measure(
    {
      search: (query) =>
        client.search.query({ agent, query, options: { minScore: 0, maxResults: flags.maxResults ?? 10 } }),
      minScore: flags.minScore ?? settings.minScore,
    },
    questions,
    offTopic,
    (done, total) => {
      if (done % 50 === 0 || done === total) process.stderr.write(`${done}/${total}\n`)
    },
  )
  const value = { ...report, indexMs, chunks: settled.chunks }
  const text = Object.entries(value)
    .map(
      ([name, figure]) =>
        `${name.padEnd(12)} ${typeof figure === 'number' ? Number(figure.toFixed(4)) : JSON.stringify(figure)}`,
    )
    .join('\n')
  return { value, text }
}

/**
 * Writes a note: the process that owns the memory does, and tells its windows; where there is none, or it does not answer,
 * the file is written from here, under the same lock.
 */
export async function remember(options: AppOptions, { agent }: CommonFlags, text: string | undefined): Promise<Output> {
  const note = (text ?? (await readStandardInput())).trim()
  if (note === '') throw new AppError('input_invalid', 'nothing to remember: give a text, or pipe one in')
  const base = await openBase(options)
  try {
    const asked = await askToRemember(base, agent, note)
    const { path, startLine, endLine } =
      asked && 'value' in asked
        ? asked.value
        : await rememberHere({ ...options, base }, agent, note, asked !== undefined)
    return { value: { path, startLine, endLine }, text: `${path}:${startLine}` }
  } finally {
    base.close()
  }
}

async function askToRemember(base: AppBase, agent: string, note: string) {
  try {
    return await askOwner(ownerPlace(base.folders.home, base.single?.folder), base, async ({ client }) => {
      await setUpOnce(client, agent)
      return client.files.remember({ agent, text: note })
    })
  } catch (error) {
    // The owner hangs, or is of another version: a note is a file, and needs nobody.
    if (error instanceof AppError && ['owner_silent', 'owner_version'].includes(error.code)) return undefined
    throw error
  }
}

/** @param mayBeThere somebody was asked to write it and went away before saying so */
async function rememberHere(options: AppOptions, agent: string, note: string, mayBeThere: boolean) {
  const app = await createApp({ ...options, watch: false })
  try {
    if (app.settings.problems.length > 0)
      throw new AppError('config_invalid', describeProblems(app.settings.file, app.settings.problems))
    if (app.agents.isFirstRun) await app.agents.setUp(agent, app.agents.workspaceOf(agent), 'en')
    const { workspace, close } = await app.agents.writer(agent)
    try {
      const known = mayBeThere ? await workspace.findRemembered(note, app.now()) : undefined
      return known ?? (await workspace.remember(note, app.now(), { cause: 'capture' }))
    } finally {
      await close()
    }
  } finally {
    await app.close()
  }
}

export async function ask(
  { client }: Runtime,
  { agent, model }: CommonFlags & { model?: string },
  message: string,
): Promise<Output> {
  await setUpOnce(client, agent)
  await client.search.settle({ agent })
  const { session } = await client.chat.send({ agent, text: message, ...(model === undefined ? {} : { model }) })
  for await (const event of await client.chat.watch({ agent, session }))
    if (event.type === 'turnEnd' || (event.type === 'partial' && !event.running)) break
  const messages = (await client.sessions.get({ agent, session })).messages.map((entry) => entry.message)
  const last = messages.findLast((entry) => entry.role === 'assistant')
  if (last?.role !== 'assistant') throw new AppError('internal', 'the agent did not answer')
  if (last.stopReason === 'error') throw new AppError('provider_error', last.errorMessage ?? 'the model failed')
  const value = { session, text: messageText(last), ...tracesOf(messages), usage: totalUsage(messages) }
  return { value, text: value.text }
}

/** What the turn recalled and wrote, from the details that its tools left in the transcript. */
function tracesOf(messages: readonly Message[]) {
  const recalls: { query: string; results: object[] }[] = []
  const writes: { path: string; cause: string }[] = []
  for (const message of messages) {
    if (message.role !== 'toolResult' || typeof message.details !== 'object' || message.details === null) continue
    if ('recall' in message.details) {
      const { query, results } = message.details.recall as SearchResponse
      recalls.push({ query, results: results.map(withoutExtras) })
    } else if ('change' in message.details) {
      writes.push({ path: (message.details.change as { path: string }).path, cause: 'agent' })
    }
  }
  return { recalls, writes }
}

function totalUsage(messages: readonly Message[]) {
  return messages.reduce((sum, message) => {
    if (message.role !== 'assistant') return sum
    const { input, output, cacheRead, cacheWrite, totalTokens, cost } = message.usage
    return {
      input: sum.input + input,
      output: sum.output + output,
      cacheRead: sum.cacheRead + cacheRead,
      cacheWrite: sum.cacheWrite + cacheWrite,
      totalTokens: sum.totalTokens + totalTokens,
      ...(cost || sum.cost ? { cost: { total: (sum.cost?.total ?? 0) + (cost?.total ?? 0) } } : {}),
    }
  }, noUsage as Usage)
}

/** Commands that write make the default workspace when there is none yet; a folder that was named is used as it is. */
async function setUpOnce(client: ContractClient, agent: string): Promise<void> {
  if (!(await client.settings.get()).firstRun) return
  const workspace = (await client.agents.list()).find(({ id }) => id === agent)?.workspace
  if (workspace === undefined) throw new AppError('unknown_agent', `there is no agent ${agent}`, { agent })
  await client.agents.setUp({ agent, workspace, locale: 'en' })
}

function searchOptions({ maxResults, minScore }: SearchFlags) {
  return { ...(maxResults === undefined ? {} : { maxResults }), ...(minScore === undefined ? {} : { minScore }) }
}

function withoutExtras({ path, startLine, endLine, score, vectorScore, textScore, snippet, source }: SearchResult) {
  return { path, startLine, endLine, score, vectorScore, textScore, snippet, source }
}

function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'returned':
      return 'returned'
    case 'belowMinScore':
      return 'below minScore'
    case 'beyondMaxResults':
      return 'beyond maxResults'
    case 'folded':
      return `folded into #${verdict.into}`
  }
}

function parsePlace(place: string): { path: string; line: number } {
  const match = /^(?<path>.+):(?<line>[1-9]\d*)$/.exec(place)
  if (!match?.groups?.['path'])
    throw new AppError('input_invalid', `--why ${place}: path:line is wanted, such as MEMORY.md:12`)
  return { path: match.groups['path'], line: Number(match.groups['line']) }
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `      ${line}`)
    .join('\n')
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY) throw new AppError('input_invalid', 'nothing to remember: give a text, or pipe one in')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks).toString('utf8')
}
