/** Every request and every event that crosses the boundary between the interface and the runtime. */
import type { ContractRouterClient } from '@orpc/contract'
import { agents } from './agents.ts'
import { chat } from './chat.ts'
import { checks } from './checks.ts'
import { clients } from './clients.ts'
import { context } from './context.ts'
import { events } from './events.ts'
import { find } from './find.ts'
import { forget } from './forget.ts'
import { habits } from './habits.ts'
import { health } from './health.ts'
import { history } from './history.ts'
import { importContract } from './import.ts'
import { links } from './links.ts'
import { pictures } from './pictures.ts'
import { search } from './search.ts'
import { sessions } from './sessions.ts'
import { settings } from './settings.ts'
import { survey } from './survey.ts'
import { upkeep } from './upkeep.ts'
import { tags } from './tags.ts'
import { workspace } from './workspace.ts'

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
  survey,
  upkeep,
  tags,
  workspace,
}

export type ContractClient = ContractRouterClient<typeof contract>

export type { Agent, Locale } from './agents.ts'
export type { ChatEvent, Model, Permission, QueuedMessage, ToolProgress } from './chat.ts'
export type { Check, CheckedQuestion, CheckRun } from './checks.ts'
export type { ClientPermission, ClientQuestion, ConnectableProgram, MemoryClient } from './clients.ts'
export type {
  BlockChange,
  ContextEvent,
  ContextEventDetails,
  ContextItem,
  ContextReport,
  ContextStep,
  HeldBack,
  KeepingStep,
  Layer,
  LearnedWindow,
  RequestBlock,
  WireRequest,
  WhatIfWindow,
} from './context.ts'
export type { AppEvent } from './events.ts'
export type { ForgetKind } from '../forget-kinds.ts'
export type { ForgetOutcome, ForgetPlace, ForgetStep } from './forget.ts'
export type { FindEvent, FoundFile, LeftFile, PastReplacement, ReplaceEvent, UnreadFile } from './find.ts'
export type { Habits } from './habits.ts'
export type { FileDraft, FileEntry, FileKind, ListedFile } from './workspace.ts'
export type { EndedChange, Part, Problem, Remedy } from './health.ts'
export type { EmbeddingModel, Meaning, NearNote, Script } from './meaning.ts'
export type { ForeignSettings, ImportPlan, ImportStanding, ImportStep, KnownMemory, PastImport } from './import.ts'
export type { Backlink, BrokenLink, LinkGraph, LinkName, Mention, MovePlan, Moving, OutgoingLink } from './links.ts'
export type { AcceptedHunk, BlamedLine, Cause, FileCommit, FileCommits, HistoryEntry } from './history.ts'
export type {
  Candidate,
  ChunkSize,
  Condition,
  Explanation,
  Rechunk,
  Recall,
  RecalledLines,
  SearchOptions,
  SearchResponse,
  SearchResult,
  SearchSettings,
  Verdict,
} from './search.ts'
export type { IndexStatus } from './index-status.ts'
export type { MemoryScope, Unsearched } from './scope.ts'
export type {
  Attachment,
  CommandOutcome,
  Draft,
  FoundSession,
  PlacedEvent,
  SessionEvent,
  SessionMessage,
  SessionSummary,
} from './sessions.ts'
export type {
  Appearance,
  ConfigFault,
  ConfigProblem,
  ConfigRule,
  McpServer,
  MonthlyUsage,
  ProviderStatus,
  Spending,
} from './settings.ts'
export type { DataLocation, LogLine } from './settings.ts'
export type {
  Evidence,
  LineEdit,
  Proposal,
  ProposedFile,
  ReviewEstimate,
  ReviewOutcome,
  UpkeepProgress,
  UpkeepRule,
} from './upkeep.ts'
export type { CountedSurvey, Survey, SurveyedFile, SurveyedLine, SurveyStep } from './survey.ts'
export type { PropertyCount, TagCount, TagPlan } from './tags.ts'
