import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export interface StateFolders {
  readonly home: string
  readonly config: string
  readonly logs: string
  readonly models: string
  readonly modelLists: string
  readonly learnedWindows: string
  readonly usage: string
  readonly clients: string
  agent(agentId: string): AgentFolders
  /** State of a folder that replaces an agent's workspace. */
  folder(workspace: string): AgentFolders
}

/** Absolute paths for an agent in a workspace. `index` and `pendingChange` are files; `checks` has saved searches. */
export interface AgentFolders {
  readonly index: string
  readonly sessions: string
  readonly history: string
  readonly checks: string
  readonly upkeep: string
  readonly imports: string
  readonly drafts: string
  /** Journal of a running change of several files. */
  readonly pendingChange: string
  readonly undos: string
}

/** Returns the paths below a state folder. Does not create them. @param home absolute path */
export function stateFolders(home: string): StateFolders {
  return {
    home,
    config: join(home, 'config.yaml'),
    logs: join(home, 'logs'),
    models: join(home, 'models'),
    modelLists: join(home, 'model-lists.json'),
    learnedWindows: join(home, 'learned-windows.json'),
    usage: join(home, 'usage.jsonl'),
    clients: join(home, 'clients.json'),
    agent: (agentId) => agentFolders(home, agentId, join('agents', agentId)),
    folder: (workspace) => agentFolders(home, `folder-${folderKey(workspace)}`, join('folders', folderKey(workspace))),
  }
}

function agentFolders(home: string, name: string, agentSubfolder: string): AgentFolders {
  return {
    index: join(home, 'memory', `${name}.sqlite`),
    history: join(home, 'history', name),
    sessions: join(home, agentSubfolder, 'sessions'),
    checks: join(home, agentSubfolder, 'checks'),
    upkeep: join(home, agentSubfolder, 'upkeep'),
    imports: join(home, agentSubfolder, 'imports'),
    drafts: join(home, agentSubfolder, 'drafts'),
    pendingChange: join(home, agentSubfolder, 'pending-change.json'),
    undos: join(home, agentSubfolder, 'undos'),
  }
}

function folderKey(workspace: string): string {
  return createHash('sha256').update(resolve(workspace)).digest('hex').slice(0, 16)
}

/** Returns `COMMONPLACE_HOME`, or `~/.commonplace` if it is unset or empty. */
export function defaultStateHome(env: NodeJS.ProcessEnv): string {
  return resolve(env['COMMONPLACE_HOME'] || join(homedir(), '.commonplace'))
}
