/** What each terminal command does: its JSON value, and the same for a reader. */
import type { SearchResponse, SearchResult, Verdict } from '../shared/contract/index.ts'
import { AppError } from '../shared/errors.ts'
import { messageText, noUsage, type Message, type Usage } from '../shared/messages.ts'
import type { Agent } from './agents/index.ts'
import type { App } from './app.ts'
import type { CommonFlags } from './cli.ts'
import { decidingDigits } from '../shared/figures.ts'
import { evaluate as measure, readQuestions } from './memory/index.ts'

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

/** A first look at a large folder may take a while; a command waits for it. */
const indexTimeoutMs = 10 * 60_000

export async function status(app: App, flags: CommonFlags): Promise<Output> {
  const agent = await app.agents.get(flags.agent)
  const isSettled = await agent.memory.settle(indexTimeoutMs)
  const { files, chunks, provider, model, state, problems } = await agent.memory.status()
  const workspace = app.agents.workspaceOf(flags.agent)
  const value = {
    agent: flags.agent,
    workspace,
    files,
    chunks,
    provider,
    model,
    indexing: state !== 'ready',
    stale: !isSettled,
    problems,
  }
  const lines = [
    `${workspace}: ${files} files, ${chunks} chunks, ${provider === 'none' ? 'keyword search only' : `${provider}/${model}`}`,
    ...problems.map((problem) => `! ${problem.message}`),
  ]
  return { value, text: lines.join('\n') }
}

export async function index(app: App, flags: CommonFlags & { force?: boolean }): Promise<Output> {
  const started = performance.now()
  const agent = await app.agents.get(flags.agent)
  await agent.memory.settle(indexTimeoutMs)
  if (flags.force) await agent.memory.reindex()
  const { files, chunks, embedded } = await agent.memory.status()
  const ms = Math.round(performance.now() - started)
  return {
    value: { files, chunks, embedded, ms },
    text: `${files} files, ${chunks} chunks, ${embedded} with vectors, ${ms} ms`,
  }
}

export async function search(app: App, flags: CommonFlags & SearchFlags, query: string): Promise<Output> {
  const agent = await settled(app, flags)
  const { results, provider, model, stale, notice } = await agent.memory.search(query, searchOptions(flags))
  const value = { results: results.map(withoutExtras), provider, model, stale }
  const lines = results.map(
    ({ path, startLine, endLine, score, snippet }) =>
      `${score.toFixed(2)}  ${path}:${startLine}-${endLine}\n${indent(snippet)}`,
  )
  if (notice) lines.push(`(${notice.message})`)
  return { value, text: lines.length > 0 ? lines.join('\n') : 'Nothing found.' }
}

export async function explain(app: App, flags: CommonFlags & ExplainFlags, query: string): Promise<Output> {
  const agent = await settled(app, flags)
  const why = flags.why === undefined ? undefined : parsePlace(flags.why)
  const explanation = await agent.memory.explain(query, searchOptions(flags), why)
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
  return { value, text: lines.length > 0 ? lines.join('\n') : 'No candidates.' }
}

export async function evaluate(app: App, flags: CommonFlags & EvalFlags): Promise<Output> {
  const questions = await readQuestions(flags.queries)
  const offTopic = flags.offTopic === undefined ? undefined : await readQuestions(flags.offTopic, 'offTopic')
  const started = performance.now()
  const agent = await settled(app, flags)
  const indexMs = Math.round(performance.now() - started)
  const settings = app.agents.settingsOf(flags.agent).memory.search
  const { minScore = settings.minScore, maxResults = settings.maxResults } = flags
  const report = await measure(
    {
      rank: (query) => agent.memory.search(query, { minScore: 0, maxResults: Math.max(10, maxResults) }),
      search: (query) => agent.memory.search(query, { minScore, maxResults }),
      minScore,
      maxResults,
    },
    questions,
    offTopic,
    (done, total) => {
      if (done % 50 === 0 || done === total) process.stderr.write(`${done}/${total}\n`)
    },
  )
  const { chunks } = await agent.memory.status()
  const value = { ...report, indexMs, chunks }
  return { value, text: figureLines(value).join('\n') }
}

/** One figure a line; those of a part by its name and theirs: `returned.mrr`. */
function figureLines(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, figure]: [string, unknown]) => {
    if (typeof figure === 'number') return [`${(prefix + name).padEnd(22)} ${Number(figure.toFixed(4))}`]
    return typeof figure === 'object' && figure !== null ? figureLines(figure, `${prefix}${name}.`) : []
  })
}

export async function remember(app: App, flags: CommonFlags, text: string | undefined): Promise<Output> {
  const note = (text ?? (await readStandardInput())).trim()
  if (note === '') throw new AppError('input_invalid', 'nothing to remember: give a text, or pipe one in')
  const agent = await withWorkspace(app, flags)
  const { path, startLine, endLine } = await agent.workspace.remember(note, app.now(), { cause: 'capture' })
  return { value: { path, startLine, endLine }, text: `${path}:${startLine}` }
}

export async function ask(app: App, flags: CommonFlags & { model?: string }, message: string): Promise<Output> {
  const agent = await withWorkspace(app, flags)
  await agent.memory.settle(indexTimeoutMs)
  const { session, ended } = await agent.chat.send({ text: message, model: flags.model })
  await ended
  const messages = (await agent.sessions.get(session)).messages().map((entry) => entry.message)
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

async function settled(app: App, flags: CommonFlags): Promise<Agent> {
  const agent = await app.agents.get(flags.agent)
  await agent.memory.settle(indexTimeoutMs)
  return agent
}

/** Commands that write make the default workspace when there is none yet; a folder that was named is used as it is. */
async function withWorkspace(app: App, flags: CommonFlags): Promise<Agent> {
  if (flags.workspace === undefined && app.agents.isFirstRun)
    await app.agents.setUp(flags.agent, app.agents.workspaceOf(flags.agent), 'en')
  return app.agents.get(flags.agent)
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
