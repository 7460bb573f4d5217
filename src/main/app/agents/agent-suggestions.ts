import { join } from 'node:path'
import { AgentModels, loadPrompts, type ProposedChange, storeRequest, storeWireRequest, type Sessions } from '#agent'
import { type Links, hashText, localDate, type Workspace } from '#workspace'
import { hasSourceMark, sourceMark, sourceName } from '#shared/markdown/provenance.ts'
import { withAddedSource } from '#shared/markdown/provenance-edit.ts'
import { messageText } from '#shared/chat/messages.ts'
import { complete as askModel, type ChatModel, type ModelRequest } from '#llm'
import {
  untrustedFinding,
  proposalOf,
  readReviewInput,
  runComparison,
  type SavedLines,
  type ScanOptions,
  type NotesSelection,
  Scheduler,
  ProposalService,
  type ReviewModel,
} from '#curation'
import { workerEntry } from '#platform'
import { marksBy } from '#workspace/privacy'
import { reportDamaged, type AgentOptions } from './agent-options.ts'
import { builtinModelFile, foldersWithPrivateRules, privateRulesOf } from './memory-source.ts'

/** Monthly limit of reviews if the model's price is unknown: about 18 first reviews of 2,000 lines (docs/guide/suggestions.md). */
const monthlyTokenLimit = 2_000_000

interface SuggestionDependencies {
  readonly workspace: Workspace
  readonly sessions: Sessions
  readonly links: Links
  /** Returns the milliseconds since the last use of this agent. */
  readonly idleFor: () => number
}

export function openSuggestions(
  options: AgentOptions,
  dependencies: SuggestionDependencies,
): { upkeep: ProposalService; scheduler: Scheduler } {
  const { config, folders, now, differ, resources, log } = options
  const { workspace, sessions, links } = dependencies
  const notesSelection = () => notesOf(options, workspace)
  const scanOptions = async (): Promise<ScanOptions> => {
    const [recalls, { links: broken }] = await Promise.all([sessions.recalls(undefined), links.broken()])
    return { ...notesSelection(), recalls, broken, privateRules: privateRulesOf(options), now: now() }
  }
  const upkeep = new ProposalService({
    folder: folders.upkeep,
    workspace,
    differ,
    now,
    privacyOf: (path, text) => marksBy(foldersWithPrivateRules(options)).of(path, text),
    scanOptions,
    compare: (saved, signal) => compareNote(options, workspace, saved, signal),
    review: {
      model: () => reviewModel(options),
      budget: () => {
        const { monthlyBudget: usd } = config.current.upkeep
        return { usd, tokens: usd === null ? null : monthlyTokenLimit }
      },
      prompts: () => loadPrompts({ resources, config, workspace }),
      reviewInput: (signal) => readReviewInput(notesSelection(), privateRulesOf(options), signal),
    },
    onDamaged: (newPath) => reportDamaged(options, newPath),
  })
  const onFault = (error: unknown) => log.fault(error, `upkeep of agent ${config.id}`)
  const scheduler = new Scheduler({
    folder: folders.upkeep,
    now,
    schedule: () => config.current.upkeep.schedule,
    idleFor: dependencies.idleFor,
    run: async () => {
      await upkeep.scan()
      if (!reviewModel(options).isOffline) await upkeep.review('schedule')
    },
    onFault,
  })
  return { upkeep, scheduler }
}

function notesOf({ mainFolder, config, resources }: AgentOptions, { roots, layout }: Workspace): NotesSelection {
  return {
    entry: workerEntry(mainFolder, 'curation/suggestions/curation.worker'),
    roots,
    scope: config.current.memory.scope,
    layout,
    modelPath: builtinModelFile(resources),
  }
}

/** Compares a saved note with all others. @returns the line that it repeats or replaces @throws as `runComparison` */
export function compareNote(options: AgentOptions, workspace: Workspace, saved: SavedLines, signal?: AbortSignal) {
  const request = { ...notesOf(options, workspace), privateRules: privateRulesOf(options) }
  return runComparison(request, saved, options.now(), signal)
}

/** Adds a change with untrusted sources to the inbox as a proposal. @param date its local day is in the source mark */
export async function proposeUntrustedChange(
  upkeep: ProposalService,
  { path, before, after, sources }: ProposedChange,
  model: string,
  date: Date,
): Promise<void> {
  const mark = sourceMark(sources, localDate(date))
  const markedText = sources.length > 0 ? withAddedSource(before ?? '', after, mark, hasSourceMark) : after
  const finding = untrustedFinding({ path, before, after: markedText, from: sources.map(sourceName) })
  const currentFile = before === undefined ? undefined : { text: before, hash: hashText(before) }
  await upkeep.add([proposalOf(finding, { author: { kind: 'model', model }, at: date.getTime() }, () => currentFile)])
}

/** Returns the absolute path of the folder of stored review requests. */
export function reviewRequestsFolder({ folders }: Pick<AgentOptions, 'folders'>): string {
  return join(folders.upkeep, 'requests')
}

/** @throws AppError `provider_key_missing`, `unknown_model` */
function reviewModel(options: AgentOptions): ReviewModel {
  const { config, models } = options
  const id = config.current.upkeep.model ?? config.current.model
  const model = new AgentModels(options).create(id)
  return {
    id: model.id,
    isOffline: model.provider === 'offline',
    contextWindow: model.contextWindow,
    maxOutput: model.maxOutput,
    prices: models.prices(id),
    ask: (content, maxOutput, signal) => askReviewModel(options, model, content, maxOutput, signal),
  }
}

async function askReviewModel(
  options: AgentOptions,
  model: ChatModel,
  content: string,
  maxOutput: number,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<ReviewModel['ask']>>> {
  const folder = reviewRequestsFolder(options)
  const modelRequest: Omit<ModelRequest, 'purpose'> = {
    system: ['You keep a person’s notes true. You answer with JSON.'],
    messages: [{ role: 'user', content, timestamp: 0 }],
    tools: [],
    maxOutput,
  }
  const requestNumber = await storeRequest(folder, { model: model.id, ...modelRequest }, options.now())
  const answer = await askModel(model, { purpose: { kind: 'upkeep' }, ...modelRequest }, signal, (wire) =>
    storeWireRequest(folder, requestNumber, wire),
  )
  const { totalTokens: tokens, cost } = answer.usage
  return { text: messageText(answer), tokens, usd: cost?.total ?? null, request: requestNumber }
}
