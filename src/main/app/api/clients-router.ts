import { once } from 'node:events'
import type { MemoryClient } from '#shared/contract/index.ts'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { lineEntry } from '#shared/markdown/log-entry.ts'
import { sourceMark, sourceName, withoutRepeatedMarks, withSourceMark } from '#shared/markdown/provenance.ts'
import { withoutMarks } from '#shared/markdown/visibility.ts'
import { withPrivateSecrets } from '#shared/markdown/visibility-edit.ts'
import type { LinesOfFile } from '#shared/util/file-lines.ts'
import { secretsIn } from '#shared/util/secrets.ts'
import type { VisibleMemory } from '#agent'
import { defaultAgentId } from '#platform'
import { sessionOfPath } from '#search'
import { datedNote, fold } from '#search/text'
import { dailyLogDate, dailyLogPath, localDate, type Workspace } from '#workspace'
import type { OpenAgent } from '../agents/agent.ts'
import { type RouterBase, type Routes, visibleFor } from './procedure.ts'

export const clientsRoutes: Routes<'clients'> = ({ app, forAgent }) => ({
  list: () => app.clients.list(),
  meet: async ({ input }) => {
    // Throws for an unknown agent, before the stored agent of the program changes.
    if (input.agent !== undefined) await app.agents.get(input.agent)
    return assertServed(app, await app.clients.registerLocal(input.client, input.name, input.agent))
  },
  issueToken: async ({ input }) => ({ token: await app.clients.issueToken(input.client, input.name, input.agent) }),
  admit: async ({ input }) => {
    const client = await app.clients.findByToken(input.token)
    return client ? assertServed(app, client) : null
  },
  update: ({ input }) => app.clients.update(input.client, input),
  enter: async function* ({ input, signal = new AbortController().signal }) {
    const leave = await app.clients.enter(input.client, signal)
    try {
      yield {}
      // The peer closes the stream at the end of the call, or by disconnecting.
      if (!signal.aborted) await once(signal, 'abort')
    } finally {
      leave()
    }
  },
  remove: ({ input }) => app.clients.remove(input.client),
  remember: forAgent((agent, input, signal) => rememberForClient(app, agent, input, signal)),
  cleanMarks: forAgent((agent) => cleanMarks(agent)),
  programs: ({ input }) => app.clientInstaller.list(agentOption(input.agent)),
  connect: ({ input }) => app.clientInstaller.connect(input.program, agentOption(input.agent)),
  disconnect: ({ input }) => app.clientInstaller.disconnect(input.program),
  test: async ({ input }) => ({ tools: await app.clientInstaller.test(input.program, agentOption(input.agent)) }),
  command: () => app.clientInstaller.command(),
  installCommand: () => app.clientInstaller.installCommand(),
  questions: () => app.clients.writeRequests.list(),
  answer: ({ input }) => app.clients.writeRequests.answer(input.id, input.decision),
})

/** Returns {} for the default agent, so that the settings can assign another agent to the program later. */
function agentOption(agent: string) {
  return agent === defaultAgentId ? {} : { agent }
}

function assertServed({ agents }: RouterBase['app'], client: MemoryClient): MemoryClient {
  if (!agents.isArchived(client.agent)) return client
  throw new AppError('unknown_agent', `the agent ${client.agent} is archived`, { agent: client.agent })
}

type RememberRequest = Parameters<ReturnType<Routes<'clients'>>['remember']>[0]['input']
type FileLine = NonNullable<RememberRequest['replaces']>

/** Saves a note of a program, unless it is there already, and proposes what it replaces. */
async function rememberForClient(
  app: RouterBase['app'],
  agent: OpenAgent,
  { client: id, agent: agentId, text: given, replaces, mayBeThere }: RememberRequest,
  signal: AbortSignal | undefined,
) {
  const { workspace, suggestions } = agent
  const visible = await visibleFor(app, agent, id)
  const old = replaces && (await replaceablePlace(visible, workspace, replaces))
  const text = withPrivateSecrets(given.replaceAll(/\r\n?/g, '\n'))
  const note = withClientMark(text, await app.clients.nameOf(id), app.now())
  const there =
    (await repeatedEntry(visible, workspace, text, app.now())) ??
    (mayBeThere ? await workspace.findRememberedNote(note, app.now()) : undefined)
  if (there && !old) return { ...there, wasThere: true }
  if (there && there.path === old?.path && there.startLine === old.line)
    throw new AppError('input_invalid', 'a note cannot replace itself', { reason: 'replaces' })
  const { name } = await app.clients.authorizeWrite({ client: id, agent: agentId, text }, signal)
  const origin = { cause: 'client' as const, client: name, sources: [sourceName({ kind: 'mcp', name })] }
  const { path, startLine, endLine } = there ?? (await workspace.remember(note, app.now(), origin))
  if (!there) app.clients.countWrite(id)
  const saved = { path, startLine, endLine }
  const author = { kind: 'client', name } as const
  const proposal = old && (await suggestions.replace(old, await firstNoteLine(workspace, saved), author))
  const alike = old || there ? undefined : await alikeLine(visible, agent, saved)
  return { ...saved, wasThere: there !== undefined, ...(old && { proposal: proposal ?? null }), alike }
}

/** @throws AppError `input_invalid` if the program may not read the line, or the file cannot be changed */
async function replaceablePlace(visible: VisibleMemory, workspace: Workspace, { path, line }: FileLine) {
  const isNote = sessionOfPath(path) === undefined && !workspace.isReadOnly(path)
  const note = isNote ? await visible.read(path) : undefined
  const text = note?.text.split(/\r?\n/)[line - 1] ?? ''
  if (note && !note.hiddenLines.has(line - 1) && text.trim() !== '' && !text.startsWith('#'))
    return { path: note.path, line }
  const reason = `replaces: ${path}:${line} is not a line of a note that can be changed`
  throw new AppError('input_invalid', reason, { reason })
}

/**
 * Returns the entry of today's log with exactly this text, if no later one shares half of its words: a fact can change
 * back. A note with a secret has none: the answer would confirm a guess.
 */
async function repeatedEntry(visible: VisibleMemory, { layout }: Workspace, note: string, at: Date) {
  const wanted = datedNote(note, localDate(at)).trim()
  const path = dailyLogPath(localDate(at), layout)
  const log = secretsIn(note).length > 0 ? undefined : await orUndefined(visible.read(path))
  if (!log) return undefined
  const lines = log.text.split(/\r?\n/)
  const index = lines.findLastIndex((line) => withoutMarks(lineEntry(line)?.text ?? '').trim() === wanted)
  if (wanted === '' || index < 0 || log.hiddenLines.has(index)) return undefined
  const words = fold(wanted).match(/[\p{L}\p{N}]+/gu) ?? []
  const sharesWords = (line: string) => words.filter((word) => fold(line).includes(word)).length * 2 >= words.length
  return lines.slice(index + 1).some(sharesWords) ? undefined : { path, startLine: index + 1, endLine: index + 1 }
}

/** Returns the first line of an entry that has text. */
async function firstNoteLine(workspace: Workspace, { path, startLine }: LinesOfFile): Promise<FileLine> {
  const lines = (await workspace.read(path)).text.split('\n')
  return { path, line: startLine + (lines[startLine - 1]?.startsWith('#') === true ? 1 : 0) }
}

/** Returns a line that a saved note repeats or may replace, if the program may see it. */
async function alikeLine(visible: VisibleMemory, { suggestions }: OpenAgent, saved: LinesOfFile) {
  for (const { path, line, text } of (await orUndefined(suggestions.compare(saved))) ?? []) {
    const note = await orUndefined(visible.read(path))
    if (note && !note.hiddenLines.has(line - 1)) return { path, line, text }
  }
  return undefined
}

/** Earlier versions marked every line of a note. */
async function cleanMarks({ workspace }: OpenAgent) {
  const cleaned: { path: string; before: string; after: string }[] = []
  for (const path of await workspace.paths()) {
    if (dailyLogDate(path, workspace.layout) === undefined) continue
    const { text: before } = await workspace.read(path)
    const after = withoutRepeatedMarks(before)
    if (after !== before) cleaned.push({ path, before, after })
  }
  if (cleaned.length === 0) return { change: null, notes: 0 }
  const { change = null } = await workspace.runTransaction({}, cleaned, { cause: 'user' })
  return { change, notes: cleaned.length }
}

function withClientMark(text: string, name: string, date: Date): string {
  return withSourceMark(text.trim(), sourceMark([{ kind: 'mcp', name }], localDate(date)))
}
