import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export type StateFolders = ReturnType<typeof stateFolders>
export type AgentFolders = ReturnType<typeof agentFolders>

/** Returns the paths below a state folder. Does not create them. @param home absolute path */
export function stateFolders(home: string) {
  return {
    home,
    config: join(home, 'config.yaml'),
    logs: join(home, 'logs'),
    models: join(home, 'models'),
    modelLists: join(home, 'model-lists.json'),
    learnedWindows: join(home, 'learned-windows.json'),
    usage: join(home, 'usage.jsonl'),
    outbound: join(home, 'outbound.jsonl'),
    clients: join(home, 'clients.json'),
    agent: (agentId: string) => agentFolders(home, agentId, join('agents', agentId)),
    /** State of a folder that replaces an agent's workspace. */
    folder: (workspace: string) =>
      agentFolders(home, `folder-${folderKey(workspace)}`, join('folders', folderKey(workspace))),
  }
}

/** Returns absolute paths. `index` is a file; `checks` has saved searches. */
function agentFolders(home: string, name: string, agentSubfolder: string) {
  return {
    index: join(home, 'memory', `${name}.sqlite`),
    history: join(home, 'history', name),
    sessions: join(home, agentSubfolder, 'sessions'),
    checks: join(home, agentSubfolder, 'checks'),
    upkeep: join(home, agentSubfolder, 'upkeep'),
    drafts: join(home, agentSubfolder, 'drafts'),
    known: join(home, agentSubfolder, 'known-files'),
    endings: join(home, agentSubfolder, 'endings.json'),
    privateLines: join(home, agentSubfolder, 'private-lines.json'),
  }
}

/** Returns the file of the change log of a workspace. Each workspace folder of an agent has its own. */
export function changeLogFile(historyFolder: string, workspace: string): string {
  return join(historyFolder, `${folderKey(workspace)}.sqlite`)
}

function folderKey(workspace: string): string {
  return createHash('sha256').update(resolve(workspace)).digest('hex').slice(0, 16)
}

/** Returns `COMMONPLACE_HOME`, or `~/.commonplace` if it is unset or empty. */
export function defaultStateHome(env: NodeJS.ProcessEnv): string {
  return resolve(env['COMMONPLACE_HOME'] || join(homedir(), '.commonplace'))
}
