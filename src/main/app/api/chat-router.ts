import { type Routes } from './procedure.ts'
import { contextTimeline, eventDetails, usageOfEntries } from '#agent'

export const chatRoutes: Routes<'chat'> = ({ app, forAgent }) => ({
  send: forAgent(async (agent, input) => {
    const { session, queued } = await agent.chat.send(input)
    return { session, queued }
  }),
  retry: forAgent((agent, input) => agent.chat.retry(input.session, input.message, input.model)),
  resume: forAgent((agent, { session, compact }) => agent.chat.retry(session, undefined, undefined, compact)),
  watch: forAgent((agent, input, signal) => agent.chat.turns.watch(input.session, signal)),
  retryNow: forAgent((agent, input) => agent.chat.turns.retryNow(input.session)),
  stop: forAgent((agent, input) => ({ stopped: agent.chat.turns.stop(input.session) !== undefined })),
  unqueue: forAgent((agent, input) => agent.chat.unqueue(input.session, input.id)),
  sendQueued: forAgent((agent, input) => agent.chat.sendQueued(input.session)),
  permit: forAgent((agent, input) => agent.chat.permissions.answer(input.id, input.decision)),
  models: ({ input }) => app.models.list(app.agents.settingsOf(input.agent).model, input.fresh),
})

export const contextRoutes: Routes<'context'> = ({ forAgent }) => ({
  request: forAgent((agent, input) => agent.sessions.requestWithWire(input.session, input.number)),
  report: forAgent((agent, input) => agent.chat.meter.report(input.session, input.step)),
  timeline: forAgent(async (agent, input) => contextTimeline((await agent.sessions.get(input.session)).branch())),
  event: forAgent(async (agent, input) => eventDetails((await agent.sessions.get(input.session)).branch(), input.id)),
  text: forAgent(async (agent, input) => ({
    text: await agent.chat.meter.text(input.session, input.number, input.layer, input.name),
  })),
})

export const chatsRoutes: Routes<'chats'> = ({ app, forAgent }) => ({
  list: forAgent((agent, input) => agent.sessions.list(input.empty)),
  get: forAgent((agent, input) => agent.conversation(input.session)),
  usage: forAgent(async (agent, input) => usageOfEntries((await agent.sessions.get(input.session)).entries)),
  find: forAgent((agent, input, signal) => agent.sessions.find(input.query, signal)),
  rename: forAgent((agent, input) => agent.sessions.rename(input.session, input.name)),
  pin: forAgent((agent, input) => agent.sessions.pin(input.session, input.pinned)),
  setWithoutMemory: forAgent(async (agent, input) =>
    (await agent.sessions.get(input.session)).setWithoutMemory(input.isWithoutMemory),
  ),
  setWithoutRecall: forAgent(async (agent, input) =>
    (await agent.sessions.get(input.session)).setWithoutRecall(input.isWithoutRecall),
  ),
  makePrivate: forAgent((agent, input) => agent.chat.makePrivate(input.session)),
  openLines: forAgent((agent, input) => agent.privacy.openLinesOf(input.session)),
  markLines: forAgent((agent, input) => agent.privacy.markLines(input.lines)),
  end: forAgent((agent, input) => agent.chat.endings.end(input.session)),
  takeNotes: forAgent(async (agent, input) => {
    await agent.chat.idleTranscript(input.session)
    return { isComplete: await agent.chat.endings.takeNotes(input.session) }
  }),
  previewRelease: forAgent((agent, input) => agent.privacy.previewRelease(input.session)),
  release: forAgent(async (agent, input) => (await agent.chat.idleTranscript(input.session)).setPrivate(false)),
  madePrivate: forAgent(async (agent) => {
    await agent.privacy.settle()
    return { chatsAndNotes: await agent.privacy.madePrivate() }
  }),
  forgetMadePrivate: forAgent((agent) => agent.privacy.forgetMadePrivate()),
  remove: forAgent((agent, input) => agent.sessions.remove(input.session)),
  restore: forAgent((agent, input) => agent.sessions.restore(input.session)),
  export: forAgent((agent, input) => agent.sessions.export(input.session, input.format)),
  fork: forAgent(async (agent, input) => {
    return { session: await agent.sessions.fork(input.session, input.entry, app.now()) }
  }),
  switchTo: forAgent(async (agent, input) => (await agent.chat.idleTranscript(input.session)).switchTo(input.entry)),
  deleteFrom: forAgent((agent, input) => agent.chat.deleteFrom(input.session, input.entry)),
  undelete: forAgent((agent, input) => agent.chat.undelete(input.session, input.entry)),
  draft: forAgent((agent, input) => agent.drafts.message(input.session)),
  saveDraft: forAgent((agent, input) => agent.drafts.saveMessage(input.session, input.draft)),
})
