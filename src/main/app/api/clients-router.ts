import type { MemoryClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { defaultAgentId } from '#platform'
import { sectionTitle } from '#workspace'
import { KnownWords } from '#workspace/privacy'
import { privacySnapshotFor } from './client-visibility.ts'
import type { RouterBase } from './procedure.ts'

export const clientsRoutes = ({ app, os, agent }: RouterBase) => ({
  list: os.clients.list.handler(() => app.clients.list()),
  meet: os.clients.meet.handler(async ({ input }) => {
    // Throws for an unknown agent, before the stored agent of the program changes.
    if (input.agent !== undefined) await app.agents.get(input.agent)
    return assertServed(app, await app.clients.registerLocal(input.client, input.name, input.agent))
  }),
  issueToken: os.clients.issueToken.handler(async ({ input }) => ({
    token: await app.clients.issueToken(input.client, input.name, input.agent),
  })),
  admit: os.clients.admit.handler(async ({ input }) => {
    const client = await app.clients.findByToken(input.token)
    return client ? assertServed(app, client) : null
  }),
  update: os.clients.update.handler(async ({ input }) => {
    await app.clients.update(input.client, input)
    return {}
  }),
  remove: os.clients.remove.handler(async ({ input }) => {
    await app.clients.remove(input.client)
    return {}
  }),
  remember: os.clients.remember.use(agent).handler(async ({ context, input, signal }) => {
    const { client: id, agent: agentId, text } = input
    const section = input.section === undefined ? undefined : sectionTitle(input.section)
    const requestedNote = { text, section }
    const savedNote = input.mayBeThere
      ? await context.agent.findRemembered(requestedNote, await app.clients.nameOf(id))
      : undefined
    if (savedNote) return { ...savedNote, undo: '' }
    const author = await app.clients.authorizeWrite({ client: id, agent: agentId, text, section }, signal)
    const { note, path, startLine, endLine, proposal } = await context.agent.remember(requestedNote, author)
    const undo = note ? app.clients.recordWrite({ client: id, agent: agentId, path, note }) : ''
    return { path, startLine, endLine, undo, ...(proposal === undefined ? {} : { proposal }) }
  }),
  look: os.clients.look.handler(async ({ input }) => {
    // `getBeforeIndexing` does not wait for the index; the caller's search does.
    const requestedAgent = await app.agents.getBeforeIndexing(input.agent)
    // Report a missing workspace instead of an empty result.
    await requestedAgent.workspace.assertExists()
    const snapshot = await privacySnapshotFor(app, requestedAgent, input.client)
    return { look: snapshot && snapshot.net.size > 0 ? requestedAgent.snapshotCache.keep(snapshot) : null }
  }),
  pass: os.clients.pass.use(agent).handler(async ({ context, input }) => {
    const cachedSnapshot = input.look === undefined ? undefined : context.agent.snapshotCache.take(input.look)
    const snapshot = cachedSnapshot ?? (await privacySnapshotFor(app, context.agent, input.client))
    if (!snapshot) return { texts: input.texts }
    const withholdOptions = { isNote: true, known: new KnownWords(input.own ?? []) }
    return { texts: input.texts.map((text) => snapshot.net.redact(text, undefined, withholdOptions)) }
  }),
  undo: os.clients.undo.use(agent).handler(async ({ context, input }) => {
    const name = await app.clients.nameOf(input.client)
    const undo = app.clients.takeUndo(input.undo, input.client, input.agent)
    try {
      return { path: (await context.agent.removeNote(undo.path, undo.note, name)).path }
    } catch (error) {
      app.clients.putBackUndo(input.undo, undo)
      throw error
    }
  }),
  programs: os.clients.programs.handler(({ input }) => app.clientInstaller.list(agentOption(input.agent))),
  connect: os.clients.connect.handler(async ({ input }) => {
    await app.clientInstaller.connect(input.program, agentOption(input.agent))
    return {}
  }),
  disconnect: os.clients.disconnect.handler(async ({ input }) => {
    await app.clientInstaller.disconnect(input.program)
    return {}
  }),
  test: os.clients.test.handler(async ({ input }) => ({
    tools: await app.clientInstaller.test(input.program, agentOption(input.agent)),
  })),
  questions: os.clients.questions.handler(() => app.clients.openWriteRequests),
  answer: os.clients.answer.handler(({ input }) => {
    app.clients.answer(input.id, input.decision)
    return {}
  }),
})

/** Returns {} for the default agent, so that the settings can assign another agent to the program later. */
function agentOption(agent: string) {
  return agent === defaultAgentId ? {} : { agent }
}

/** @throws AppError `unknown_agent` if the agent of the program is archived */
function assertServed({ agents }: RouterBase['app'], client: MemoryClient): MemoryClient {
  if (!agents.isArchived(client.agent)) return client
  throw new AppError('unknown_agent', `the agent ${client.agent} is archived`, { agent: client.agent })
}
