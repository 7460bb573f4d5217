import { once } from 'node:events'
import type { MemoryClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { withPrivateSecrets } from '#shared/markdown/visibility-edit.ts'
import { defaultAgentId } from '#platform'
import { sectionTitle } from '#workspace'
import { findClientNote, saveClientNote } from '../agents/client-notes.ts'
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
    return { ...written, change: change?.change ?? null }
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

/** @throws AppError `unknown_agent` if the agent of the program is archived */
function assertServed({ agents }: RouterBase['app'], client: MemoryClient): MemoryClient {
  if (!agents.isArchived(client.agent)) return client
  throw new AppError('unknown_agent', `the agent ${client.agent} is archived`, { agent: client.agent })
}
