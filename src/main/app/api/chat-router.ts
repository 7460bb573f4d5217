import type { RouterBase } from './procedure.ts'
import { contextTimeline, eventDetails, usageOfEntries } from '#agent'

export const chatRoutes = ({ app, os, forAgent, doForAgent }: RouterBase) => ({
  send: forAgent(os.chat.send, async (agent, input) => {
    const { session, queued } = await agent.chat.send(input)
    return { session, queued }
  }),
  retry: doForAgent(os.chat.retry, (agent, input) => agent.chat.retry(input.session, input.message, input.model)),
  resume: doForAgent(os.chat.resume, (agent, { session, compact }) =>
    agent.chat.retry(session, undefined, undefined, compact),
  ),
  watch: forAgent(os.chat.watch, (agent, input, signal) => agent.chat.turns.watch(input.session, signal)),
  retryNow: doForAgent(os.chat.retryNow, (agent, input) => agent.chat.turns.retryNow(input.session)),
  stop: forAgent(os.chat.stop, (agent, input) => ({ stopped: agent.chat.turns.stop(input.session) !== undefined })),
  unqueue: doForAgent(os.chat.unqueue, (agent, input) => agent.chat.unqueue(input.session, input.id)),
  sendQueued: doForAgent(os.chat.sendQueued, (agent, input) => agent.chat.sendQueued(input.session)),
  permit: doForAgent(os.chat.permit, (agent, input) => agent.chat.permissions.answer(input.id, input.decision)),
  models: os.chat.models.handler(({ input }) => app.models.list(app.agents.settingsOf(input.agent).model, input.fresh)),
})

export const contextRoutes = ({ os, forAgent }: RouterBase) => ({
  request: forAgent(os.context.request, (agent, input) => agent.sessions.requestWithWire(input.session, input.number)),
  report: forAgent(os.context.report, (agent, input) => agent.chat.meter.report(input.session, input.step)),
  timeline: forAgent(os.context.timeline, async (agent, input) =>
    contextTimeline((await agent.sessions.get(input.session)).branch()),
  ),
  event: forAgent(os.context.event, async (agent, input) =>
    eventDetails((await agent.sessions.get(input.session)).branch(), input.id),
  ),
  text: forAgent(os.context.text, async (agent, input) => ({
    text: await agent.chat.meter.text(input.session, input.number, input.layer, input.name),
  })),
})

export const sessionsRoutes = ({ app, os, forAgent, doForAgent }: RouterBase) => ({
  list: forAgent(os.sessions.list, (agent, input) => agent.sessions.list(input.empty)),
  get: forAgent(os.sessions.get, (agent, input) => agent.conversation(input.session)),
  usage: forAgent(os.sessions.usage, async (agent, input) =>
    usageOfEntries((await agent.sessions.get(input.session)).entries),
  ),
  find: forAgent(os.sessions.find, (agent, input, signal) => agent.sessions.find(input.query, signal)),
  rename: doForAgent(os.sessions.rename, (agent, input) => agent.sessions.rename(input.session, input.name)),
  pin: doForAgent(os.sessions.pin, (agent, input) => agent.sessions.pin(input.session, input.pinned)),
  setWithoutMemory: doForAgent(os.sessions.setWithoutMemory, async (agent, input) =>
    (await agent.sessions.get(input.session)).setWithoutMemory(input.isWithoutMemory),
  ),
  setWithoutRecall: doForAgent(os.sessions.setWithoutRecall, async (agent, input) =>
    (await agent.sessions.get(input.session)).setWithoutRecall(input.isWithoutRecall),
  ),
  makePrivate: doForAgent(os.sessions.makePrivate, (agent, input) => agent.chat.makePrivate(input.session)),
  openLines: forAgent(os.sessions.openLines, (agent, input) => agent.privacy.openLinesOf(input.session)),
  markLines: forAgent(os.sessions.markLines, async (agent, input) => ({
    count: await agent.privacy.markLinesOf(input.session),
  })),
  end: doForAgent(os.sessions.end, (agent, input) => agent.chat.endings.end(input.session)),
  takeNotes: forAgent(os.sessions.takeNotes, async (agent, input) => {
    await agent.chat.idleTranscript(input.session)
    return { isComplete: await agent.chat.endings.takeNotes(input.session) }
  }),
  previewRelease: forAgent(os.sessions.previewRelease, (agent, input) => agent.privacy.previewRelease(input.session)),
  release: doForAgent(os.sessions.release, async (agent, input) =>
    (await agent.chat.idleTranscript(input.session)).setPrivate(false),
  ),
  madePrivate: forAgent(os.sessions.madePrivate, async (agent) => {
    await agent.privacy.settle()
    return { sessions: await agent.privacy.untold() }
  }),
  forgetMadePrivate: doForAgent(os.sessions.forgetMadePrivate, (agent) => agent.privacy.forgetUntold()),
  remove: doForAgent(os.sessions.remove, (agent, input) => agent.sessions.remove(input.session)),
  restore: doForAgent(os.sessions.restore, (agent, input) => agent.sessions.restore(input.session)),
  export: forAgent(os.sessions.export, (agent, input) => agent.sessions.export(input.session, input.format)),
  fork: forAgent(os.sessions.fork, async (agent, input) => {
    return { session: await agent.sessions.fork(input.session, input.entry, app.now()) }
  }),
  switchTo: doForAgent(os.sessions.switchTo, async (agent, input) =>
    (await agent.chat.idleTranscript(input.session)).switchTo(input.entry),
  ),
  deleteFrom: doForAgent(os.sessions.deleteFrom, (agent, input) => agent.chat.deleteFrom(input.session, input.entry)),
  undelete: doForAgent(os.sessions.undelete, (agent, input) => agent.chat.undelete(input.session, input.entry)),
  draft: forAgent(os.sessions.draft, (agent, input) => agent.drafts.message(input.session)),
  saveDraft: doForAgent(os.sessions.saveDraft, (agent, input) => agent.drafts.saveMessage(input.session, input.draft)),
})
