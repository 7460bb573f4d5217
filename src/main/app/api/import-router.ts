import { expandHome } from '#platform'
import { findMemories, findOpenClawSettings, readOpenClawSettings } from '#interop'
import type { RouterBase } from './procedure.ts'

export const importRoutes = ({ app, os, forAgent, doForAgent }: RouterBase) => ({
  known: os.import.known.handler(() => findMemories()),
  settings: os.import.settings.handler(async () => {
    const settingsFiles = await findOpenClawSettings(existingAgents(app))
    return settingsFiles.map(({ file, taken, left }) => ({ file, taken, left }))
  }),
  takeOver: os.import.takeOver.handler(async ({ input }) => {
    const { changes, ...report } = await readOpenClawSettings(input.file, existingAgents(app))
    if (changes.length > 0) await app.settings.set(...changes)
    return report
  }),
  plan: forAgent(os.import.plan, (agent, input) => agent.importer.plan(input)),
  run: forAgent(os.import.run, (agent, input) => agent.importer.run(input)),
  start: doForAgent(os.import.start, (agent, input) => agent.importer.start(input)),
  standing: forAgent(os.import.standing, (agent) => agent.importer.status()),
  seen: doForAgent(os.import.seen, (agent, input) => agent.importer.markSeen(input.id)),
  cancel: doForAgent(os.import.cancel, (agent) => agent.importer.cancel()),
  past: forAgent(os.import.past, (agent) => agent.importer.past()),
  undo: forAgent(os.import.undo, (agent, input) => agent.importer.undo(input.id)),
  packNote: forAgent(os.import.packNote, (agent, input) => agent.importer.packNote(input.path)),
  pack: forAgent(os.import.pack, async (agent, input) => {
    const { importer, history } = agent
    if (!input.withHistory || !history) return importer.pack()
    await history.flush()
    return importer.pack(history.repository)
  }),
})

function existingAgents({ settings }: RouterBase['app']): { id: string; workspace: string }[] {
  return settings.config.agents.list.map(({ id, workspace = '' }) => ({ id, workspace: expandHome(workspace) }))
}
