import type { RouterBase } from './procedure.ts'

export const suggestionsRoutes = ({ os, forAgent, doForAgent }: RouterBase) => ({
  list: forAgent(os.upkeep.list, async (agent) => ({
    ...(await agent.upkeep.list()),
    nextAt: await agent.scheduler.next(),
  })),
  count: forAgent(os.upkeep.count, async (agent) => ({ open: await agent.upkeep.count() })),
  look: forAgent(os.upkeep.look, (agent) => agent.upkeep.scan()),
  stop: doForAgent(os.upkeep.stop, (agent) => agent.upkeep.stop()),
  estimate: forAgent(os.upkeep.estimate, (agent, _input, signal) => agent.upkeep.estimate(signal)),
  review: forAgent(os.upkeep.review, (agent) => agent.upkeep.review()),
  request: forAgent(os.upkeep.request, (agent, input) => agent.reviewRequest(input.number)),
  preview: forAgent(os.upkeep.preview, (agent, input) => agent.upkeep.preview(input.ids)),
  turn: doForAgent(os.upkeep.turn, (agent, input) => agent.upkeep.swapSides(input.id)),
  accept: forAgent(os.upkeep.accept, (agent, input) => agent.upkeep.accept(input.ids)),
  edit: doForAgent(os.upkeep.edit, (agent, input) => agent.upkeep.edit(input.id, input.after)),
  refuse: doForAgent(os.upkeep.refuse, (agent, input) => agent.upkeep.refuse(input.ids)),
  snooze: doForAgent(os.upkeep.snooze, (agent, input) => agent.upkeep.snooze(input.ids, input.until)),
  reopen: doForAgent(os.upkeep.reopen, (agent, input) => agent.upkeep.reopen(input.ids)),
  undo: forAgent(os.upkeep.undo, (agent, input) => agent.upkeep.undo(input.acceptance)),
  flag: forAgent(os.upkeep.flag, async (agent, input) => ({
    id: await agent.upkeep.flag(input.path, input.line, input.fault, input.query),
  })),
})
