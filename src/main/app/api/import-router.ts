import { expandHome } from '#platform'
import { findMemories, findOpenClawSettings, readOpenClawSettings } from '#interop'
import type { RouterBase } from './procedure.ts'

export const importRoutes = ({ app, os, agent }: RouterBase) => ({
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
  plan: os.import.plan.use(agent).handler(({ context, input }) => context.agent.importer.plan(input)),
  run: os.import.run.use(agent).handler(({ context, input }) => context.agent.importer.run(input)),
  start: os.import.start.use(agent).handler(({ context, input }) => {
    context.agent.importer.start(input)
    return {}
  }),
  standing: os.import.standing.use(agent).handler(({ context }) => context.agent.importer.status()),
  seen: os.import.seen.use(agent).handler(({ context, input }) => {
    context.agent.importer.markSeen(input.id)
    return {}
  }),
  cancel: os.import.cancel.use(agent).handler(({ context }) => {
    context.agent.importer.cancel()
    return {}
  }),
  past: os.import.past.use(agent).handler(({ context }) => context.agent.importer.past()),
  undo: os.import.undo.use(agent).handler(({ context, input }) => context.agent.importer.undo(input.id)),
  packNote: os.import.packNote.use(agent).handler(({ context, input }) => context.agent.importer.packNote(input.path)),
  pack: os.import.pack.use(agent).handler(async ({ context, input }) => {
    const { importer, history } = context.agent
    if (!input.withHistory || !history) return importer.pack()
    await history.flush()
    return importer.pack(history.repository)
  }),
})

function existingAgents({ settings }: RouterBase['app']): { id: string; workspace: string }[] {
  return settings.config.agents.list.map(({ id, workspace = '' }) => ({ id, workspace: expandHome(workspace) }))
}
