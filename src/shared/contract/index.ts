import type { ContractRouterClient } from '@orpc/contract'
import { agents } from './agents.ts'
import { chat } from './chat.ts'
import { checks } from './checks.ts'
import { clients } from './clients.ts'
import { context } from './context.ts'
import { events } from './events.ts'
import { find } from './find.ts'
import { forget } from './forget.ts'
import { habits } from './conventions.ts'
import { health } from './health.ts'
import { history } from './history.ts'
import { importContract } from './import.ts'
import { links, tags } from './links.ts'
import { search } from './search.ts'
import { sessions } from './sessions.ts'
import { settings } from './settings.ts'
import { upkeep } from './upkeep.ts'
import { pictures, workspace } from './workspace.ts'

export const contract = {
  agents,
  chat,
  checks,
  clients,
  context,
  events,
  find,
  forget,
  habits,
  health,
  history,
  import: importContract,
  links,
  pictures,
  search,
  sessions,
  settings,
  upkeep,
  tags,
  workspace,
}

export type ContractClient = ContractRouterClient<typeof contract>

export { type Agent, type Locale } from './agents.ts'
export { type ChatEvent, type Model, type PermissionRequest, type QueuedMessage, type ToolProgress } from './chat.ts'
export { type Check, type CheckedQuestion, type CheckRun } from './checks.ts'
export { type ClientPermission, type WriteRequest, type ConnectableProgram, type MemoryClient } from './clients.ts'
export {
  type BlockChange,
  type ContextEvent,
  type ContextEventDetails,
  type ContextItem,
  type ContextReport,
  type ContextStep,
  type RedactionReport,
  type CompactionStep,
  type Layer,
  type ContextWindowEstimate,
  type RequestBlock,
  type WireRequest,
  type WhatIfWindow,
} from './context.ts'
export { type AppEvent } from './events.ts'
export { type ForgetKind } from '../util/forget-kinds.ts'
export { type ErasureOutcome, type ErasurePlace, type ErasureStep } from './forget.ts'
export { type FindEvent, type FoundFile, type LeftFile, type ReplaceEvent, type UnreadFile } from './find.ts'
export { type VaultConventions } from './conventions.ts'
export { type FileDraft, type FileEntry, type FileKind, type ListedFile } from './workspace.ts'
export { type RecoveredChange, type AppPart, type Problem, type Remedy } from './health.ts'
export {
  type ForeignSettings,
  type ImportPlan,
  type ImportStatus,
  type ImportStep,
  type KnownMemory,
  type PastImport,
} from './import.ts'
export {
  type Backlink,
  type BrokenLink,
  type LinkName,
  type MovePlan,
  type Moving,
  type OutgoingLink,
  type TagPlan,
} from './links.ts'
export {
  type AcceptedHunk,
  type BlamedLine,
  type Cause,
  type FileCommit,
  type FileCommits,
  type HistoryEntry,
  type PastBatch,
} from './history.ts'
export {
  type Candidate,
  type Condition,
  type EmbeddingModel,
  type Explanation,
  type IndexStatus,
  type EmbeddingCost,
  type MemoryScope,
  type SimilarNote,
  type Recall,
  type RecalledLines,
  type RecordedSearch,
  type ScorePart,
  type ScorePartName,
  type Script,
  type SearchOptions,
  type SearchResponse,
  type SearchResult,
  type SearchSettings,
  type IndexExclusion,
  type Verdict,
} from './search.ts'
export {
  type Attachment,
  type CommandOutcome,
  type Draft,
  type FoundSession,
  type PlacedEvent,
  type SessionEvent,
  type SessionMessage,
  type SessionSummary,
} from './sessions.ts'
export {
  type Appearance,
  type ConfigFault,
  type ConfigProblem,
  type ConfigRule,
  type McpServer,
  type MonthlyUsage,
  type ProviderStatus,
  type Spending,
} from './settings.ts'
export { type DataLocation, type LogLine } from './settings.ts'
export {
  type Evidence,
  type LineEdit,
  type Proposal,
  type ProposedFile,
  type ReviewEstimate,
  type ReviewOutcome,
  type UpkeepProgress,
  type UpkeepRule,
} from './upkeep.ts'
