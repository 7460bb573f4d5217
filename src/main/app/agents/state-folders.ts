import { hash } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { realpathSync } from 'node:fs'
import { AppError, onSystemError, unlessSystemError } from '#shared/util/errors.ts'
import { defaultAgentId, expandHome, readIfExists, writeDurably, type SettingsStore } from '#platform'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'

export type StateFolders = ReturnType<typeof stateFolders>
export type AgentFolders = ReturnType<typeof agentFolders>

/** @param home absolute path */
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
    suggestions: join(home, agentSubfolder, 'upkeep'),
    drafts: join(home, agentSubfolder, 'drafts'),
    known: join(home, agentSubfolder, 'known-files'),
    endings: join(home, agentSubfolder, 'endings.json'),
    privateLines: join(home, agentSubfolder, 'private-lines.json'),
  }
}

/** Each workspace folder of an agent has its own log. */
export function changeLogFile(historyFolder: string, workspace: string): string {
  return join(historyFolder, `${folderKey(workspace)}.sqlite`)
}

function folderKey(workspace: string): string {
  return hash('sha256', resolve(workspace)).slice(0, 16)
}

export function defaultStateHome(env: NodeJS.ProcessEnv): string {
  return resolve(env['COMMONPLACE_HOME'] || join(homedir(), '.commonplace'))
}

/**
 * Replaces the agent's workspace while the process runs (`--workspace DIR`). Its index, history and sessions are stored
 * per folder. Other agents are hidden because another process may have them open.
 */
export interface SingleFolder {
  readonly agent: string
  /** Absolute path. */
  readonly folder: string
}

export function defaultWorkspace(agentId: string, home: string = homedir()): string {
  return join(home, agentId === defaultAgentId ? 'commonplace' : `commonplace-${agentId}`)
}

/** @returns undefined if `folder` (absolute) is the agent's own workspace @throws AppError `unknown_agent` */
export function resolveSingleFolder(
  { agents }: SettingsStore['config'],
  agent: string,
  folder: string,
): SingleFolder | undefined {
  const entry = agents.list.find(({ id }) => id === agent)
  if (!entry && agent !== defaultAgentId) throw new AppError('unknown_agent', `there is no agent ${agent}`, { agent })
  const configuredWorkspace = resolve(expandHome(entry?.workspace ?? defaultWorkspace(agent)))
  // Without an entry the default agent has no workspace yet, even if the paths are equal.
  return entry && realPath(configuredWorkspace) === realPath(folder) ? undefined : { agent, folder }
}

function realPath(folder: string): string {
  return unlessSystemError(() => realpathSync(folder)) ?? folder
}

/**
 * Version of the files in the state folder. The version before reads and writes the files of this one: it may add files,
 * fields and kinds of lines in JSONL files, which the version before keeps. Every other change needs a step of two.
 */
export const stateFormat = 1

const fileSchema = z.object({ format: z.number().int() })

/**
 * Changes nothing.
 * @returns 1 without a readable `format.json`
 * @throws AppError `state_newer` if the files are not readable for `supported`
 */
export async function readStateFormat(home: string, supported = stateFormat): Promise<number> {
  // If the folder itself cannot be used, the next step says so.
  const text = await readIfExists(join(home, 'format.json')).catch(onSystemError(undefined))
  const format = fileSchema.safeParse(parseJson(text ?? '')).data?.format ?? 1
  if (format <= supported + 1) return format
  const message = `${home} was written by a newer version of Commonplace. Install that version. Nothing was changed.`
  throw new AppError('state_newer', message, { path: home, format })
}

/** Raises the version of a state folder; never lowers it. Only for the process that has the memory open. */
export async function raiseStateFormat(home: string, to = stateFormat): Promise<void> {
  if ((await readStateFormat(home, to)) < to)
    await writeDurably(join(home, 'format.json'), JSON.stringify({ format: to }))
}
