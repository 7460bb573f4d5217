/** Other programs that use this memory. */
import type { RouterBase } from './base.ts'

export const clientsRoutes = ({ app, os, agent }: RouterBase) => ({
  list: os.clients.list.handler(() => app.clients.list()),
  meet: os.clients.meet.handler(({ input }) => app.clients.meet(input.client, input.name, input.agent)),
  issueToken: os.clients.issueToken.handler(async ({ input }) => ({
    token: await app.clients.issueToken(input.client, input.name, input.agent),
  })),
  admit: os.clients.admit.handler(async ({ input }) => (await app.clients.admit(input.token)) ?? null),
  update: os.clients.update.handler(async ({ input }) => {
    await app.clients.update(input.client, input)
    return {}
  }),
  remove: os.clients.remove.handler(async ({ input }) => {
    await app.clients.remove(input.client)
    return {}
  }),
  remember: os.clients.remember.use(agent).handler(async ({ context, input, signal }) => {
    const { workspace } = context.agent
    const { client: id, agent: of, text, section } = input
    const known = input.mayBeThere ? await workspace.findRemembered(text, app.now(), section) : undefined
    if (known) return { ...known, undo: '' }
    const name = await app.clients.allow({ client: id, agent: of, text, section }, signal)
    const origin = { cause: 'client' as const, client: name }
    const { path, startLine, endLine, change } =
      section === undefined
        ? await workspace.remember(text, app.now(), origin)
        : await workspace.rememberIn(section, text, origin)
    const undo = app.clients.noteWrite({ client: id, agent: of, path, patch: change.patch })
    return { path, startLine, endLine, undo }
  }),
  undo: os.clients.undo.use(agent).handler(async ({ context, input, signal }) => {
    const { path, patch } = app.clients.takeUndo(input.undo, input.client, input.agent)
    await context.agent.undo(path, patch, signal)
    return { path }
  }),
  programs: os.clients.programs.handler(({ input }) => app.connections.list(input.agent)),
  connect: os.clients.connect.handler(async ({ input }) => {
    await app.connections.connect(input.program, input.agent)
    return {}
  }),
  disconnect: os.clients.disconnect.handler(async ({ input }) => {
    await app.connections.disconnect(input.program)
    return {}
  }),
  test: os.clients.test.handler(async ({ input }) => ({
    tools: await app.connections.test(input.program, input.agent),
  })),
  questions: os.clients.questions.handler(() => app.clients.questions),
  answer: os.clients.answer.handler(({ input }) => {
    app.clients.answer(input.id, input.decision)
    return {}
  }),
})
