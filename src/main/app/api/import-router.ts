import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { defaultAgentId, defaultWorkspace, expandHome, isKeyName } from '#platform'
import { findMemories, findOpenClawSettings } from '#interop'
import { AppError } from '#shared/util/errors.ts'
import type { RouterBase } from './procedure.ts'

export const importRoutes = ({ app, os, forAgent, doForAgent }: RouterBase) => ({
  known: os.import.known.handler(() => findMemories()),
  settings: os.import.settings.handler(async ({ input }) => {
    const migrations = await findSettings(app, input)
    return migrations.map(({ changes: _changes, ...report }) => report)
  }),
  takeOver: os.import.takeOver.handler(async ({ input }) => {
    const migration = (await findSettings(app, input)).find(({ file }) => file === input.file)
    if (!migration) throw new AppError('file_not_found', `${input.file} has no settings`, { path: input.file })
    const { changes, ...report } = migration
    return { ...report, change: await app.settings.set(...changes) }
  }),
  plan: forAgent(os.import.plan, (agent, input) => agent.importer.plan(input)),
  start: doForAgent(os.import.start, (agent, input) => void agent.importer.start(input)),
  standing: forAgent(os.import.standing, (agent) => agent.importer.status()),
  seen: doForAgent(os.import.seen, (agent, input) => agent.importer.markSeen(input.id)),
  cancel: doForAgent(os.import.cancel, (agent) => agent.importer.cancel()),
  past: forAgent(os.import.past, (agent) => agent.importer.past()),
  packNote: forAgent(os.import.packNote, (agent, input) => agent.importer.packNote(input.path)),
  pack: forAgent(os.import.pack, async (agent, { withHistory }, signal) => {
    const { importer, history } = agent
    if (!withHistory || !history.isEnabled) return importer.pack()
    const folder = await mkdtemp(join(tmpdir(), 'commonplace-history-'))
    try {
      await Array.fromAsync(agent.exportHistory(folder, false, signal))
      return await importer.pack(join(folder, '.git'))
    } finally {
      // Git may still write for a moment after a stop.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }),
})

/** @param folder workspace of the first agent before it is set up; `~` is the home folder */
async function findSettings(
  { agents, keys: keyRing, settings }: RouterBase['app'],
  { folder, keys }: { folder?: string | undefined; keys?: readonly string[] },
) {
  const first = folder === undefined ? [] : [{ id: defaultAgentId, workspace: folder }]
  const { list } = settings.config.agents
  const existing = (list.length === 0 ? first : list).map(({ id, workspace = defaultWorkspace(id) }) => {
    return { id, workspace: resolve(expandHome(workspace)) }
  })
  const workspaces = [...existing, ...(await agents.list())].map(({ workspace }) => workspace)
  const hasKey = (provider: string) => isKeyName(provider) && keyRing.get(provider) !== undefined
  return findOpenClawSettings(workspaces, { agents: existing, config: settings.configWithoutDefaults(), hasKey, keys })
}
