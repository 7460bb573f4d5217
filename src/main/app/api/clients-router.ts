import { once } from 'node:events'
import type { MemoryClient } from '#shared/contract/index.ts'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { withPrivateSecrets } from '#shared/markdown/visibility-edit.ts'
import type { FileChange } from '#shared/util/file-change.ts'
import type { LinesOfFile } from '#shared/util/file-lines.ts'
import { sourceMark, sourceName, withSourceMarks } from '#shared/markdown/provenance.ts'
import { type Clock, defaultAgentId } from '#platform'
import { evidenceOf, untrustedSuggestion } from '#curation'
import { addToSection, noteItem, localDate, longTermFile, sectionTitle } from '#workspace'
import type { OpenAgent } from '../agents/agent.ts'
import { type RouterBase, type Routes } from './procedure.ts'

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
  remember: forAgent(async (agent, input, signal) => {
    const { client: id, agent: agentId } = input
    const text = withPrivateSecrets(input.text)
    const section = input.section === undefined ? undefined : sectionTitle(input.section)
    const requestedNote = { text, section }
    const savedNote = input.mayBeThere
      ? await findClientNote(agent, requestedNote, await app.clients.nameOf(id), app.now)
      : undefined
    if (savedNote) return { ...savedNote, change: null }
    const author = await app.clients.authorizeWrite({ client: id, agent: agentId, text, section }, signal)
    const { change, ...written } = await saveClientNote(agent, requestedNote, author, app.now)
    app.clients.countWrite(id)
    return { ...written, change: change?.change ?? null, alike: await alikeLine(agent, written) }
  }),
  undo: forAgent(async (agent, { client, change }) => ({
    path: await agent.undoClientNote(change, await app.clients.nameOf(client)),
  })),
  programs: ({ input }) => app.clientInstaller.list(agentOption(input.agent)),
  connect: ({ input }) => app.clientInstaller.connect(input.program, agentOption(input.agent)),
  disconnect: ({ input }) => app.clientInstaller.disconnect(input.program),
  test: async ({ input }) => ({ tools: await app.clientInstaller.test(input.program, agentOption(input.agent)) }),
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

/** Returns a line that a saved note repeats or may replace, if programs may see it. */
async function alikeLine(agent: OpenAgent, saved: LinesOfFile) {
  for (const { path, line, text } of (await orUndefined(agent.suggestions.compare(saved))) ?? []) {
    const note = await orUndefined(agent.visibleTo({ seesPrivate: false }).read(path))
    if (note && !note.hiddenLines.has(line - 1)) return { path, line, text }
  }
  return undefined
}

type NoteServices = Pick<OpenAgent, 'workspace' | 'suggestions'>

interface ProgramNote {
  readonly text: string
  /** Title of a section, as `sectionTitle` returns it; undefined for the daily log. */
  readonly section: string | undefined
}

interface SavedNote extends LinesOfFile {
  readonly change?: FileChange
  /** Id of the proposal in the inbox; null if the user already rejected the same proposal. */
  readonly proposal?: string | null
}

/** Saves a note of a program. Without permission for MEMORY.md, saves it in the daily log and suggests the rest. */
async function saveClientNote(
  services: NoteServices,
  { text, section }: ProgramNote,
  { name, mayKeep }: { readonly name: string; readonly mayKeep: boolean },
  now: Clock,
): Promise<SavedNote> {
  const date = now()
  const note = withClientMark(text, name, date)
  const origin = { cause: 'client' as const, client: name, sources: [sourceName({ kind: 'mcp', name })] }
  if (section !== undefined && mayKeep) return services.workspace.rememberIn(section, note, origin)
  return withSuggestion(services, await services.workspace.remember(note, date, origin), { note, section, name, date })
}

/** Finds a note whose confirmation was lost; undefined if it is not saved. Adds the proposal if it is missing. */
async function findClientNote(services: NoteServices, { text, section }: ProgramNote, name: string, now: Clock) {
  const date = now()
  const note = withClientMark(text, name, date)
  const { workspace } = services
  const longTermEntry = section === undefined ? undefined : await workspace.findRememberedNote(note, date, true)
  if (longTermEntry) return longTermEntry
  const entry = await workspace.findRememberedNote(note, date)
  return entry && withSuggestion(services, entry, { note, section, name, date })
}

function withClientMark(text: string, name: string, date: Date): string {
  return withSourceMarks(text.trim(), sourceMark([{ kind: 'mcp', name }], localDate(date)))
}

async function withSuggestion(
  { workspace, suggestions }: NoteServices,
  entry: SavedNote,
  { note, section, name, date }: { note: string; section: string | undefined; name: string; date: Date },
): Promise<SavedNote> {
  if (section === undefined) return entry
  const path = longTermFile(workspace.layout)
  const before = (await workspace.exists(path)) ? (await workspace.read(path)).text : undefined
  const after = addToSection(before ?? '', section, noteItem(note)).text
  const lines = (await workspace.read(entry.path)).text.split('\n')
  const line = entry.startLine + (lines[entry.startLine - 1]?.startsWith('#') === true ? 1 : 0)
  // Links the proposal to the note: undoing the note also withdraws the proposal.
  const evidence = [evidenceOf(entry.path, line, lines[line - 1] ?? '')]
  const origin = { author: { kind: 'client' as const, name }, at: date.getTime() }
  const source = sourceName({ kind: 'mcp', name })
  const proposal = await suggestions.propose(untrustedSuggestion({ path, before, after }, [source], origin, evidence))
  return { ...entry, proposal: proposal ?? null }
}
