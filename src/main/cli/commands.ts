/** What each terminal command does: its JSON value, and the same for a reader. */
import { existsSync } from 'node:fs'
import type {
  ContractClient,
  SearchOptions,
  SearchResponse,
  SearchResult,
  Verdict,
} from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import { addUsage, messageText, noUsage, type Message, type Usage } from '../../shared/messages.ts'
import { waitForVectors } from './vectors.ts'
import { createApp, openBase, type AppBase, type AppOptions } from '../app.ts'
import type { CommonFlags } from './index.ts'
import { decidingDigits } from '../../shared/figures.ts'
import { evaluate as measure, readQuestions } from '../memory/index.ts'
import { askOwner, ownerPlace, type Runtime } from '../owner/index.ts'
import { describeProblems } from '../settings/index.ts'

export interface Output {
  readonly value: unknown
  readonly text: string
  /** One line for stderr. */
  readonly warning?: string
  /** What was printed is not all that was wanted: exit 1. */
  readonly isFailure?: boolean
}

export { vectorHelp } from './vectors.ts'

export interface WaitFlags {
  /** False with `--no-wait`. */
  readonly wait: boolean
}

export type SearchFlags = WaitFlags & Pick<SearchOptions, 'maxResults' | 'minScore'>

export type ExplainFlags = SearchFlags & { readonly why?: string }

export interface EvalFlags extends SearchFlags {
  readonly queries: string
  readonly offTopic?: string
  readonly provider?: 'none' | 'openai' | 'gemini' | 'openai-compatible' | 'local'
}

export async function status({ client }: Runtime, { agent }: CommonFlags): Promise<Output> {
  const { settled: isSettled, status: index, indexBytes } = await client.search.settle({ agent })
  // A provider that nobody has asked yet says how it is.
  if (index.provider !== 'none' && index.embedded === 0) await client.health.tryAgain({ agent })
  const { files, chunks, embedded, provider, model, state } = await client.search.status({ agent })
  const problems = await client.health.problems({ agent })
  const workspace = (await client.agents.list()).find(({ id }) => id === agent)?.workspace ?? ''
  const value = {
    agent,
    workspace,
    files,
    chunks,
    embedded,
    provider,
    model,
    indexing: state !== 'ready',
    stale: !isSettled,
    indexBytes,
    problems,
  }
  const vectors = provider === 'none' ? 'keyword search only' : `${provider}/${model}, ${embedded} with vectors`
  const lines = [
    `${workspace}: ${files} files, ${chunks} chunks, ${vectors}; index ${(indexBytes / 1e6).toFixed(1)} MB`,
    ...problems.map(({ part, code, since, message, path }) => {
      const words = message === '' ? code : message
      const where = path === undefined || words.includes(path) ? '' : ` (${path})`
      return `! ${part}: ${words}${where}, since ${new Date(since).toISOString()}`
    }),
  ]
  return { value, text: lines.join('\n') }
}

export async function index(
  { client }: Runtime,
  { agent, force, wait }: CommonFlags & WaitFlags & { force?: boolean },
): Promise<Output> {
  const started = performance.now()
  await client.search.settle({ agent })
  if (force) await client.search.reindex({ agent })
  const { warning, isFailure } = await waitForVectors(client, agent, wait)
  const { files, chunks, embedded } = await client.search.status({ agent })
  const ms = Math.round(performance.now() - started)
  return {
    value: { files, chunks, embedded, ms },
    text: `${files} files, ${chunks} chunks, ${embedded} with vectors, ${ms} ms`,
    ...(warning === undefined ? {} : { warning, isFailure }),
  }
}

export async function search(
  { client }: Runtime,
  { agent, ...flags }: CommonFlags & SearchFlags,
  query: string,
): Promise<Output> {
  const { vectorWaitMs, warning } = await waitForVectors(client, agent, flags.wait)
  const { maxResults, minScore } = flags
  const options = { maxResults, minScore, vectorWaitMs }
  const { results, provider, model, stale, notice } = await client.search.query({ agent, query, options })
  const value = { results: results.map(withoutExtras), provider, model, stale, notice }
  const lines = results.map(
    ({ path, startLine, endLine, score, snippet }) =>
      `${score.toFixed(2)}  ${path}:${startLine}-${endLine}\n${indent(snippet)}`,
  )
  return {
    value,
    text: lines.length > 0 ? lines.join('\n') : 'Nothing found.',
    ...toldOnce(warning, notice),
  }
}

export async function explain(
  { client }: Runtime,
  { agent, ...flags }: CommonFlags & ExplainFlags,
  query: string,
): Promise<Output> {
  const why = flags.why === undefined ? undefined : parsePlace(flags.why)
  const { vectorWaitMs, warning } = await waitForVectors(client, agent, flags.wait)
  const { maxResults, minScore } = flags
  const options = { maxResults, minScore, vectorWaitMs }
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
      `${score.toFixed(decidingDigits(score, explanation.minScore, 3))}  vector ${vector ? vector.score.toFixed(3) : 'off'}  text ${text ? text.score.toFixed(3) : 'off'}  ${path}:${startLine}-${endLine}  ${verdict}`,
  )
  if (explanation.why)
    lines.push(
      `${explanation.why.path}:${explanation.why.line}: ${explanation.why.reason}, rank ${explanation.why.rank ?? '–'}`,
    )
  return {
    value,
    text: lines.length > 0 ? lines.join('\n') : 'No candidates.',
    ...toldOnce(warning, explanation.notice),
  }
}

export async function evaluate({ client }: Runtime, flags: CommonFlags & EvalFlags): Promise<Output> {
  const { agent } = flags
  const questions = await readQuestions(flags.queries)
  const offTopic = flags.offTopic === undefined ? undefined : await readQuestions(flags.offTopic, 'offTopic')
  const started = performance.now()
  const { vectorWaitMs, warning } = await waitForVectors(client, agent, flags.wait)
  const indexMs = Math.round(performance.now() - started)
  const settings = await client.search.settings({ agent })
  const { minScore = settings.minScore, maxResults = settings.maxResults } = flags
  let withoutVector = 0
  let reason = warning
  const ask = async (query: string, options: SearchOptions) => {
    const answer = await client.search.query({ agent, query, options: { ...options, vectorWaitMs } })
    if (answer.notice) {
      withoutVector += 1
      reason ??= answer.notice.message
    }
    return answer
  }
  const report = await measure(
    {
      rank: (query) => ask(query, { minScore: 0, maxResults: Math.max(10, maxResults) }),
      search: (query) => ask(query, { minScore, maxResults }),
      minScore,
      maxResults,
    },
    questions,
    offTopic,
    (done, total) => {
      if (done % 50 === 0 || done === total) process.stderr.write(`${done}/${total}\n`)
    },
  )
  const { chunks, embedded } = await client.search.status({ agent })
  const value = { ...report, indexMs, chunks, embedded }
  const text = figureLines(value).join('\n')
  if (reason === undefined || !flags.wait) return { value, text }
  const asked = 2 * (questions.length + (offTopic?.length ?? 0))
  const isMeasured = withoutVector > 0 ? `${withoutVector} of ${asked} searches were answered without all vectors` : ''
  return { value, text, warning: [isMeasured, reason].filter((part) => part !== '').join(': '), isFailure: true }
}

/** One figure a line; those of a part by its name and theirs: `returned.mrr`. */
function figureLines(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, figure]: [string, unknown]) => {
    if (typeof figure === 'number') return [`${(prefix + name).padEnd(22)} ${Number(figure.toFixed(4))}`]
    return typeof figure === 'object' && figure !== null ? figureLines(figure, `${prefix}${name}.`) : []
  })
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
      await setUpOnce(client, base, agent)
      return client.workspace.remember({ agent, text: note })
    })
  } catch (error) {
    // The owner hangs, or is of another version: a note is a file, and needs nobody.
    if (error instanceof AppError && ['owner_silent', 'owner_version'].includes(error.code)) return undefined
    throw error
  }
}

/** @param mayBeThere somebody was asked to write it and went away before saying so */
async function rememberHere(options: AppOptions & { base: AppBase }, agent: string, note: string, mayBeThere: boolean) {
  const { base } = options
  const app = await createApp({ ...options, watch: false })
  try {
    if (app.settings.problems.length > 0)
      throw new AppError('config_invalid', describeProblems(app.settings.file, app.settings.problems))
    if (app.agents.isFirstRun) assertNew(base, agent)
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
  { client, base }: Runtime,
  { agent, model }: CommonFlags & { model?: string },
  message: string,
): Promise<Output> {
  await setUpOnce(client, base, agent)
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
    if (message.role !== 'toolResult') continue
    const { details } = message
    if (details?.kind === 'recall')
      recalls.push({ query: details.recall.query, results: details.recall.results.map(withoutExtras) })
    else if (details?.kind === 'change') writes.push({ path: details.change.path, cause: 'agent' })
  }
  return { recalls, writes }
}

function totalUsage(messages: readonly Message[]): Usage {
  return messages.reduce((sum, message) => (message.role === 'assistant' ? addUsage(sum, message.usage) : sum), noUsage)
}

/** Why vectors are missing: what the waiting saw, or else what the search did. */
function toldOnce(warning: string | undefined, notice: SearchResponse['notice']): { readonly warning?: string } {
  const line = warning ?? notice?.message
  return line === undefined ? {} : { warning: line }
}

/** A memory that was in use has not moved to the default folder because its configuration is gone. */
function assertNew({ folders }: AppBase, agent: string): void {
  if (!existsSync(folders.agent(agent).history)) return
  const reason =
    'it is missing or empty, though this state folder was in use; put it back, or choose the folder in the app'
  throw new AppError('config_invalid', `${folders.config}: ${reason}`, { file: folders.config, reason })
}

/** Commands that write make the default workspace when there is none yet; a folder that was named is used as it is. */
async function setUpOnce(client: ContractClient, base: AppBase, agent: string): Promise<void> {
  if (!(await client.settings.get()).firstRun) return
  assertNew(base, agent)
  const workspace = (await client.agents.list()).find(({ id }) => id === agent)?.workspace
  if (workspace === undefined) throw new AppError('unknown_agent', `there is no agent ${agent}`, { agent })
  await client.agents.setUp({ agent, workspace, locale: 'en' })
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
