import { join } from 'node:path'
import type { Suggestion } from '#shared/contract/index.ts'
import type { LinesOfFile } from '#shared/util/file-lines.ts'
import { agentModels, loadPrompts, type SuggestedChange, storeRequest, wireRecorder, type Sessions } from '#agent'
import { onAppError } from '#shared/util/errors.ts'
import { type ChangeLog, type Links, localDate, longTermFile, type Workspace } from '#workspace'
import { hasSourceMark, sourceMark, sourceName } from '#shared/markdown/provenance.ts'
import { withAddedSource } from '#shared/markdown/provenance-edit.ts'
import { messageText } from '#shared/chat/messages.ts'
import { complete as askModel, questionRequest } from '#llm'
import {
  evidenceOf,
  untrustedSuggestion,
  type CurationJobs,
  type NotesRequest,
  Scheduler,
  SuggestionService,
  type ReviewModel,
} from '#curation'
import { runInWorker, workerEntry, type WorkerClient } from '#platform'
import { marksBy } from '#workspace/privacy'
import type { ImportedMemories } from '#interop'
import { reportDamaged, type AgentOptions } from './agent-options.ts'
import { builtinModelFile, foldersWithPrivateRules, privateRulesOf } from './memory-source.ts'

/** Monthly limit of reviews if the model's price is unknown: about 18 first reviews of 2,000 lines (docs/guide/suggestions.md). */
const monthlyTokenLimit = 2_000_000

/** @param idleFor returns the milliseconds since the last use of this agent */
export function openSuggestions(
  options: AgentOptions,
  { workspace, log, sessions, links }: { workspace: Workspace; log: ChangeLog; sessions: Sessions; links: Links },
  idleFor: () => number,
): { suggestions: SuggestionService; scheduler: Scheduler } {
  const { config, folders, now, differ, resources } = options
  const suggestions = new SuggestionService({
    folder: folders.suggestions,
    workspace,
    log,
    differ,
    now,
    privacyOf: (path, text) => marksBy(foldersWithPrivateRules(options)).of(path, text),
    scan: async (signal, onProgress) => {
      const [found, { links: broken }] = await Promise.all([sessions.recalls(undefined), links.broken()])
      const recalls = found.map(({ at, results }) => ({ at, paths: results.map(({ path }) => path) }))
      const facts = { recalls, broken, now: now().getTime() }
      const scan = async (client: WorkerClient<CurationJobs>, notes: NotesRequest) => {
        const proposals: Suggestion[] = []
        for await (const step of await client.scan({ ...notes, ...facts }))
          if (step.type === 'progress') onProgress({ done: step.done, total: step.total })
          else proposals.push(...step.proposals)
        return proposals
      }
      return runInCuration(options, workspace, scan, signal)
    },
    compare: (saved, signal) => compareNote(options, workspace, saved, signal),
    review: {
      model: () => reviewModel(options),
      budget: () => {
        const { monthlyBudget: usd } = config.current.upkeep
        return { usd, tokens: usd === null ? null : monthlyTokenLimit }
      },
      prompts: () => loadPrompts({ resources, config, workspace }),
      reviewInput: (signal) => runInCuration(options, workspace, (client, notes) => client.reviewInput(notes), signal),
    },
    onDamaged: (newPath) => reportDamaged(options, newPath),
  })
  const scheduler = new Scheduler({
    folder: folders.suggestions,
    now,
    schedule: () => config.current.upkeep.schedule,
    idleFor,
    run: async () => {
      await suggestions.scan()
      if (!reviewModel(options).isOffline) await suggestions.review()
    },
    onFault: (error) => options.log.fault(error, `suggestions of agent ${config.id}`),
  })
  return { suggestions, scheduler }
}

function runInCuration<T>(
  options: AgentOptions,
  { roots, layout }: Workspace,
  job: (client: WorkerClient<CurationJobs>, notes: NotesRequest) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { mainFolder, config, resources } = options
  const notes = {
    workspace: roots.workspace,
    forbidden: [...roots.forbidden],
    scope: config.current.memory.scope,
    layout,
    privateRules: privateRulesOf(options),
    modelPath: builtinModelFile(resources),
  }
  const entry = workerEntry(mainFolder, 'curation/suggestions/curation.worker')
  return runInWorker<CurationJobs, T>(entry, (client) => job(client, notes), signal)
}

/** Compares a saved note with all others. @returns the line that it repeats or replaces @throws the signal's reason */
export function compareNote(options: AgentOptions, workspace: Workspace, saved: LinesOfFile, signal?: AbortSignal) {
  const place = { saved, now: options.now().getTime() }
  return runInCuration(options, workspace, (client, notes) => client.compare({ ...notes, ...place }), signal)
}

/** Adds a change with untrusted sources to the inbox as a proposal. @param date its local day is in the source mark */
export async function suggestUntrustedChange(
  suggestions: SuggestionService,
  { path, before, after, sources }: SuggestedChange,
  author: Suggestion['author'],
  date: Date,
  evidence?: Suggestion['evidence'],
): Promise<void> {
  const mark = sourceMark(sources, localDate(date))
  const markedText = sources.length > 0 ? withAddedSource(before ?? '', after, mark, hasSourceMark) : after
  const origin = { author, at: date.getTime() }
  const written = { path, before, after: markedText }
  await suggestions.add([untrustedSuggestion(written, sources.map(sourceName), origin, evidence)])
}

/**
 * Suggests adding Claude's memory of the user to MEMORY.md. A suggestion is withdrawn if its imported note goes.
 * @param source file name of the import @param note path of the note with all parts
 */
export async function suggestMemories(
  suggestions: SuggestionService,
  workspace: Workspace,
  { parts, source, note }: ImportedMemories,
  date: Date,
): Promise<void> {
  const path = longTermFile(workspace.layout)
  const noteLines = (await workspace.read(note)).text.split('\n')
  const before = (await workspace.read(path).catch(onAppError('file_not_found')))?.text
  for (const part of parts) {
    const [first = ''] = part.split('\n', 1)
    const after = `${before === undefined ? '' : `${before.trimEnd()}\n\n`}## Claude\n\n${part}\n`
    const change = { path, before, after, sources: [{ kind: 'import', name: source }] } as const
    const evidence = [evidenceOf(note, noteLines.indexOf(first) + 1, first)]
    await suggestUntrustedChange(suggestions, change, { kind: 'user' }, date, evidence)
  }
}

export function reviewRequestsFolder({ folders }: Pick<AgentOptions, 'folders'>): string {
  return join(folders.suggestions, 'requests')
}

/** @throws AppError `provider_key_missing`, `unknown_model` */
function reviewModel(options: AgentOptions): ReviewModel {
  const { config, models, now, log } = options
  const id = config.current.upkeep.model ?? config.current.model
  const model = agentModels(options).create(id)
  const folder = reviewRequestsFolder(options)
  return {
    id: model.id,
    isOffline: model.provider === 'offline',
    contextWindow: model.contextWindow,
    maxOutput: model.maxOutput,
    prices: models.prices(id),
    async ask(content, maxOutput, signal) {
      const system = ['You keep a person’s notes true. You answer with JSON.']
      const modelRequest = questionRequest({ purpose: { kind: 'upkeep' }, system, content, maxOutput })
      const { purpose: _notSent, ...stored } = modelRequest
      const request = await storeRequest(folder, { model: model.id, ...stored }, now())
      const { onSent, done } = wireRecorder(folder, request, (error) => log.fault(error, 'a request of a review'))
      const answer = await askModel(model, { ...modelRequest, onSent }, signal)
      await done()
      const { totalTokens: tokens, cost } = answer.usage
      return { text: messageText(answer), tokens, usd: cost?.total ?? null, request }
    },
  }
}
