/** Where things lie (SPEC "Files"): one state folder for the app, one workspace an agent. */
import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export interface StateFolders {
  readonly home: string
  readonly config: string
  readonly logs: string
  /** Models that run in the process. */
  readonly models: string
  /** What the providers last listed. */
  readonly modelLists: string
  /** What requests used and cost. */
  readonly usage: string
  index(agentId: string): string
  /** The index of a folder that is no agent's, used by single commands. */
  folderIndex(workspace: string): string
  sessions(agentId: string): string
  /** The repository with every change of an agent's files, and its journal. */
  history(agentId: string): string
  /** The same for a folder that is no agent's. */
  folderHistory(workspace: string): string
  /** Saved questions, and how often they were answered rightly. */
  checks(agentId: string): string
  /** What was typed but not sent. */
  drafts(agentId: string): string
}

export function stateFolders(home: string): StateFolders {
  return {
    home,
    config: join(home, 'config.yaml'),
    logs: join(home, 'logs'),
    models: join(home, 'models'),
    modelLists: join(home, 'model-lists.json'),
    usage: join(home, 'usage.jsonl'),
    index: (agentId) => join(home, 'memory', `${agentId}.sqlite`),
    folderIndex: (workspace) => join(home, 'memory', `folder-${keyOf(workspace)}.sqlite`),
    history: (agentId) => join(home, 'history', agentId),
    folderHistory: (workspace) => join(home, 'history', `folder-${keyOf(workspace)}`),
    sessions: (agentId) => join(home, 'agents', agentId, 'sessions'),
    checks: (agentId) => join(home, 'agents', agentId, 'checks'),
    drafts: (agentId) => join(home, 'agents', agentId, 'drafts'),
  }
}

function keyOf(workspace: string): string {
  return createHash('sha256').update(resolve(workspace)).digest('hex').slice(0, 16)
}

/** `COMMONPLACE_HOME`, else `~/.commonplace`. */
export function defaultStateHome(env: NodeJS.ProcessEnv): string {
  return resolve(env['COMMONPLACE_HOME'] || join(homedir(), '.commonplace'))
}
