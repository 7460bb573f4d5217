import type { HistoryEntry } from '#shared/contract/index.ts'
import { orUndefined } from '#shared/util/errors.ts'
import type { VisibleMemory } from '#agent'
import type { OpenAgent } from '../agents/agent.ts'
import { streamProgress } from '#platform'
import { EarlierPrivacy } from '#workspace/privacy'
import { type Routes, visibleFor } from './procedure.ts'

export const historyRoutes: Routes<'history'> = ({ app, forAgent }) => ({
  timeline: forAgent(async (agent, input) => {
    const { history } = agent
    if (!input.forProgram) return history.timeline({ ...input, groupAdopted: true })
    const memory = await visibleFor(app, agent, input.forProgram)
    // A program gets no event when the changes since the last run are recorded.
    await history.flush()
    const visible: HistoryEntry[] = []
    for (let query: Parameters<typeof history.timeline>[0] = input; ;) {
      const entries = history.timeline(query)
      visible.push(...(await visibleEntries(agent, memory, entries)))
      if (visible.length >= input.limit || entries.length < input.limit) return visible
      query = { ...input, before: entries.at(-1)?.id }
    }
  }),
  diff: forAgent(async (agent, input) => {
    const { patch } = await agent.history.diff(input.change, input.path)
    const memory = await visibleFor(app, agent, input.forProgram)
    return { patch: memory.seesPrivate ? patch : await visibleLines(agent, memory, input, patch) }
  }),
  commits: forAgent((agent, { path, ...page }, signal) => agent.commits.log(path, page, signal)),
  commitDiff: forAgent((agent, input, signal) => agent.commits.diff(input.path, input.commit, signal)),
  textAt: forAgent(async (agent, { path, at, includesPrivate }) => {
    const text = agent.history.textAt(path, at)
    if (text === undefined || includesPrivate) return { text: text ?? null }
    const privacy = new EarlierPrivacy(agent.marks())
    privacy.add(0, (await orUndefined(agent.visibleTo({ seesPrivate: true }).read(path))) ?? { path, text })
    return { text: privacy.openText(0, { path, text }) ?? null }
  }),
  exportGit: forAgent((agent, { folder, includesPrivate }, signal) =>
    agent.exportHistory(folder, includesPrivate, signal),
  ),
  importGit: forAgent(({ history }, { folder }, signal) => history.importGit(folder, signal)),
  blame: forAgent((agent, input) => agent.history.blame(input.path)),
  standing: forAgent((agent, input) => agent.revertStatus(input.change, input.path)),
  accept: forAgent((agent, { change, path, key }) => agent.history.log.markReviewed(change, path, key)),
  restore: forAgent((agent, input) => agent.restoreVersion(input.change, input.path)),
  batches: forAgent((agent) => agent.batches.list()),
  revert: forAgent(async (agent, input) => {
    const { change = null, notes, left, trashed } = await agent.revert(input)
    return { change, notes, left: [...left], ...(trashed === undefined ? {} : { trashed }) }
  }),
})

/**
 * Returns the entries of notes that the reader may see. Without private text, these are notes that have none now, with
 * the lines that they added and that the notes still have: removed lines may have been private.
 */
async function visibleEntries(agent: OpenAgent, memory: VisibleMemory, all: readonly HistoryEntry[]) {
  const entries = all.filter(({ now }) => memory.covers(now))
  if (memory.seesPrivate || entries.length === 0) return entries
  const files = await memory.files((await agent.workspace.list()).files)
  const open = new Set(files.flatMap(({ path, isPartial }) => (isPartial ? [] : [path])))
  const visible = entries.map(async (entry) => {
    if (!open.has(entry.now)) return []
    const { patch } = await agent.history.diff(entry.change, entry.path)
    const lines = await visibleLines(agent, memory, entry, patch)
    return lines === '' ? [] : [{ ...entry, added: lines.split('\n').length, removed: 0 }]
  })
  return (await Promise.all(visible)).flat()
}

/** Returns the lines that a change added and that the reader still sees in the note. */
async function visibleLines(
  agent: OpenAgent,
  memory: VisibleMemory,
  { change, path }: Pick<HistoryEntry, 'change' | 'path'>,
  patch: string,
): Promise<string> {
  const note = await orUndefined(memory.read(agent.history.currentPath(path, change)))
  const lines = new Set(note?.text.split('\n').map((line) => line.trim()))
  const isVisible = (line: string) => /^\+(?!\+\+)/.test(line) && lines.has(line.slice(1).trim())
  return patch.split('\n').filter(isVisible).join('\n')
}

export const permanentDeletionRoutes: Routes<'permanentDeletion'> = ({ app }) => ({
  find: async ({ input: { agent, words }, signal }) => {
    const months = await app.ledger.months()
    const models = [...new Set(months.map(({ model }) => model))].filter((model) => model !== 'offline')
    const { embedding, ...occurrences } = await app.agents.deletion.find(agent, words, signal)
    // The embedding model also received these texts.
    return { ...occurrences, models: embedding === undefined ? models : [...models, embedding] }
  },
  // The deletion also finishes if the caller disconnects.
  run: async function* ({ input: { agent, ...request } }) {
    yield yield* streamProgress((onProgress) =>
      app.agents.deletion.run(agent, request, ({ done, total }) => onProgress(done, total)),
    )
  },
  stop: ({ input }) => app.agents.deletion.stop(input.agent),
})
