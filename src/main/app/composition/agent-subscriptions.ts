import { isAbsolute } from 'node:path'
import { isLongTermPath } from '#shared/util/agent-files.ts'
import type { SharedOptions } from '../agents/agent-options.ts'
import { type ProblemReport, reportIndex } from '../diagnostics/health.ts'
import type { LinesOfFile } from '#shared/util/file-lines.ts'
import { longTermFile } from '#workspace'
import { sessionsPrefix } from '#search'
import type { OpenAgent } from '../agents/agent.ts'

const maxNoteCharacters = 80

/** Subscribes an agent's services to each other and publishes their changes. Call it before `OpenAgent.start`. */
export function subscribeAgent(openedAgent: OpenAgent, { publish, health, log }: SharedOptions): void {
  const { id: agent, conventions, workspace, links, suggestions, drafts, sessions } = openedAgent
  const { memory, history, batches, savedQueries, chat, privacy } = openedAgent
  const faultIn = (part: string) => (error: unknown) => void log.fault(error, `${part} of agent ${agent}`)
  workspace.changes.subscribe(({ path, from }) => memory.notifyWritten(from === undefined ? [path] : [from, path]))

  for (const activity of [workspace.changes, sessions.changes, chat.changes])
    activity.subscribe(() => openedAgent.resetIdleTime())

  workspace.changes.subscribe(() => links.markStale())
  batches.progress.subscribe((moving) => {
    if (!moving) links.markStale()
    publish({ type: 'moveProgress', agent, moving })
  })

  workspace.changes.subscribe(async ({ path, from }) => {
    if (from === undefined) return
    // The move is complete; a failure here must not undo it.
    await drafts.moveFile(from, path).catch(faultIn('draft'))
    await savedQueries.move(from, path).catch(faultIn('checks'))
  })

  const compare = (saved: LinesOfFile) =>
    suggestions
      .compare(saved)
      .then((matches) => matches.forEach((match) => publish({ type: 'noteMatched', agent, ...match })))
      .catch(faultIn('comparison of a note'))
  workspace.captures.subscribe(({ origin, ...saved }) => void (origin.client === undefined && compare(saved)))
  workspace.changes.subscribe(({ path, origin, before, after }) => {
    const start = before?.trimEnd() ?? ''
    const isAppended = origin.cause === 'agent' && origin.turn !== undefined && after?.startsWith(start)
    const endLine = after?.trimEnd().split('\n').length ?? 0
    if (isAppended) void compare({ path, startLine: start === '' ? 1 : start.split('\n').length + 1, endLine })
  })

  workspace.captures.subscribe(({ path, change, note, origin }) => {
    const { client, session } = origin
    // A chat shows the notes of its own session without this event.
    if (session !== undefined) return
    const firstLine = (note.split('\n')[0] ?? '').slice(0, maxNoteCharacters).toWellFormed()
    publish({ type: 'captured', agent, path, change: change.change ?? null, note: firstLine, client })
  })

  sessions.changes.subscribe(({ session, isDeletedOrRestored }) => {
    memory.notifyWritten([`${sessionsPrefix}${session}.jsonl`])
    publish({ type: 'sessionChanged', agent, session, isWhole: isDeletedOrRestored })
    publish({ type: 'contextChanged', agent, session })
  })

  chat.changes.subscribe(({ session, reason, ms }) => {
    publish({ type: 'turnEnded', agent, session, reason, ms })
    publish({ type: 'sessionChanged', agent, session })
    publish({ type: 'contextChanged', agent, session })
  })

  let [isIndexReady, hasIndexChanged] = [false, true]
  const updateChatPrivacy = () => {
    // A part of the index has fewer private lines than there are.
    if (!isIndexReady || !hasIndexChanged) return
    hasIndexChanged = false
    privacy.update().catch(faultIn('privacy of chats'))
  }
  memory.changes.subscribe((change) => {
    switch (change.type) {
      case 'status':
        reportIndex(health, agent, change.status)
        isIndexReady = change.status.state === 'ready'
        updateChatPrivacy()
        return publish({ type: 'indexStatus', agent, status: change.status })
      case 'files':
        links.markStale()
        findLongTermFiles(change.paths).catch(faultIn('conventions'))
        suggestions.filesChanged(change.paths).catch(faultIn('suggestions'))
        history.recordExternalChanges(change.paths.filter((path) => !path.endsWith('.jsonl') && !isAbsolute(path)))
        return publish({ type: 'filesChanged', agent, paths: [...change.paths] })
      case 'indexed':
        savedQueries.scheduleRun('index')
        hasIndexChanged = true
        updateChatPrivacy()
        return publish({ type: 'indexChanged', agent })
      case 'crashed':
        faultIn('index thread')(change.error)
        return health.report({
          part: 'index',
          code: 'thread_ended',
          level: 'bad',
          message: change.error.message,
          agent,
        })
      case 'recovered':
        health.clear('index', 'thread_ended', agent)
        return publish({ type: 'recovered', agent })
    }
  })

  history.log.changes.subscribe((change) => {
    if (change.type === 'recorded') publish({ type: 'historyChanged', agent, paths: [...change.paths] })
    else {
      const reports = change.problems.map(({ code, message }): ProblemReport => {
        return { part: 'history', code, message, agent, level: code === 'history_failed' ? 'bad' : 'warning' }
      })
      health.replace(['history'], reports, agent)
    }
  })

  const findLongTermFiles = async (paths: readonly string[]) => {
    if (paths.some(isLongTermPath)) await conventions.refresh()
  }
  workspace.changes.subscribe(({ path, from = path }) => findLongTermFiles([path, from]))
  const reportLongTermFiles = () => {
    const { longTermFiles: files } = conventions.effective
    const path = longTermFile(workspace.layout)
    const message = `${files.join(' and ')} exist; only ${files[0]} is the long-term memory`
    health.clear('app', 'long_term_files', agent)
    if (files.length > 1)
      health.report({ part: 'app', code: 'long_term_files', message, agent, path, remedy: { kind: 'file', path } })
  }
  reportLongTermFiles()
  conventions.changes.subscribe(() => {
    reportLongTermFiles()
    links.markStale()
    openedAgent.applyConventions().catch(faultIn('conventions'))
    publish({ type: 'filesChanged', agent, paths: [] })
  })

  suggestions.changes.subscribe(() => publish({ type: 'suggestionsChanged', agent }))
  savedQueries.changes.subscribe(() => publish({ type: 'savedSearchesChanged', agent }))
}
