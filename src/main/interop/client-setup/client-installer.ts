import { existsSync } from 'node:fs'
import { readlink, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ConnectableProgram } from '#shared/contract/index.ts'
import { isRecord } from '#shared/util/json.ts'
import { AppError, isSystemError, onSystemError, retryIf } from '#shared/util/errors.ts'
import { describeChange, readSmallText, writeDurably } from '#platform'
import { McpConnection } from '#agent/mcp-client'
import {
  serverEntryAt,
  withEntry,
  withoutEntry,
  type ConfigText,
  type EntryPath,
  type ServerEntry,
} from './config-text.ts'
import {
  commandLineOf,
  entryNames,
  isOwnEntry,
  programs,
  type Machine,
  type KnownClient,
  type StartCommand,
} from './known-clients.ts'
import {
  installCommand,
  planCommand,
  renewLauncher,
  startOf,
  startOfLauncher,
  type CommandInstall,
} from './launcher.ts'

/** Large, because Claude Code also stores its projects in the file. */
const maxBytes = 50_000_000

const maxAttempts = 10

/** The program saved the file meanwhile. */
class ConcurrentChangeError extends Error {}
const isConcurrentChange = (error: unknown) => error instanceof ConcurrentChangeError

interface ClientInstallerOptions {
  readonly mainFolder: URL
  readonly env: NodeJS.ProcessEnv
  readonly home: string | undefined
  /** Undefined for another home than the default one. */
  readonly launcher: string | undefined
  readonly version: string
}

export interface RegistrationOptions {
  /** Undefined: the agent set for the program in the app. */
  readonly agent?: string | undefined
  /** Name in the history; default: the program's id. */
  readonly client?: string | undefined
  readonly isReadOnly?: boolean | undefined
  readonly workspace?: string | undefined
}

/** Timeout of the connection test, ms: the first indexing of a large memory can take long. */
const testTimeoutMs = 60_000
const serverDefaults = { headers: {}, enabled: true, local: true, permission: 'never', tools: {} } as const

export class ClientInstaller {
  readonly #options: ClientInstallerOptions
  readonly #machine: Machine

  constructor(options: ClientInstallerOptions) {
    this.#options = options
    const { env } = options
    this.#machine = { platform: process.platform, home: env['HOME'] ?? env['USERPROFILE'] ?? homedir(), env }
  }

  /** Lists the programs with the patch of `connect`. An unreadable file sets `problem`. */
  list(registration: RegistrationOptions): Promise<ConnectableProgram[]> {
    return Promise.all(programs.map(({ id }) => this.inspect(id, registration)))
  }

  /** @throws AppError `program_unknown` */
  async inspect(id: string, registration: RegistrationOptions): Promise<ConnectableProgram> {
    const program = requireProgram(id)
    const { name, link } = program
    const file = program.file(this.#machine)
    const start = this.#startCommandOf(program, registration)
    const common = { id, name, file, isThere: this.#isInstalled(file), ...(link ? { link: link(start) } : {}) }
    try {
      const config = await this.#readConfig(program)
      const entryPath = entryPathIn(config, program)
      const current = serverEntryAt(config, entryPath)
      const isBroken = isBrokenEntry(current)
      const entry = entryFor(program, start, current)
      const isSame = isDeepStrictEqual(current, entry)
      const state = isBroken ? 'broken' : isSame ? 'connected' : current === undefined ? 'none' : 'other'
      const { patch } = describeChange(file, config.text, withEntry(config, entryPath, entry))
      return { ...common, state, patch, problem: null }
    } catch (error) {
      if (!(error instanceof AppError) && !isSystemError(error)) throw error
      return { ...common, state: 'none', patch: '', problem: error.message }
    }
  }

  /** @throws AppError `program_unknown`, `config_invalid`, `write_failed`, `disk_full` */
  async connect(id: string, registration: RegistrationOptions): Promise<void> {
    const program = requireProgram(id)
    await this.renewLauncher()
    const start = this.#startCommandOf(program, registration)
    await this.#rewriteConfig(program, (config) => {
      const path = entryPathIn(config, program)
      return withEntry(config, path, entryFor(program, start, serverEntryAt(config, path)))
    })
  }

  /** Every start calls this: the app may have moved. @throws AppError as `renewLauncher` */
  async renewLauncher(): Promise<void> {
    const { launcher, mainFolder } = this.#options
    if (launcher !== undefined) await renewLauncher(launcher, mainFolder)
  }

  /** Returns what `installCommand` creates; null for another home than the default one. @throws AppError `file_exists` */
  async command(): Promise<CommandInstall | null> {
    const { launcher } = this.#options
    return launcher === undefined ? null : planCommand(launcher, this.#machine)
  }

  /** Makes `commonplace` a command of the user's shells. @throws AppError as `command`, `write_failed` */
  async installCommand(): Promise<void> {
    const { launcher } = this.#options
    const creates = (await this.command())?.creates ?? null
    if (launcher === undefined || creates === null) return
    await this.renewLauncher()
    await installCommand(creates, launcher, this.#machine.platform)
  }

  async previewRemoval(id: string): Promise<string> {
    const program = requireProgram(id)
    const config = await this.#readConfig(program)
    const after = withoutOwnEntry(config, program)
    return after === config.text ? '' : describeChange(config.file, config.text, after).patch
  }

  /** @throws AppError as `connect` */
  async disconnect(id: string): Promise<void> {
    const program = requireProgram(id)
    await this.#rewriteConfig(program, (config) => withoutOwnEntry(config, program))
  }

  /**
   * Starts the server as the program would, and returns the number of its tools.
   * @throws AppError `program_unknown`, `mcp_unavailable`
   */
  async test(id: string, registration: RegistrationOptions): Promise<number> {
    const program = requireProgram(id)
    const { env, version } = this.#options
    await this.renewLauncher()
    const { command, args, env: startEnv } = this.#startCommandOf(program, registration)
    const connection = new McpConnection({
      name: program.name,
      settings: { ...serverDefaults, command, args: [...args], env: { ...startEnv } },
      env,
      outbound: undefined,
      version,
      onChange: () => undefined,
      scrub: (text) => text,
    })
    try {
      await connection.start(true)
      const reason = connection.state === 'ready' ? await callTestTool(connection) : (connection.problem ?? '')
      if (reason === undefined) return connection.tools.length
      throw new AppError('mcp_unavailable', `${program.name}: ${reason}`, { server: program.name, reason })
    } finally {
      await connection.close()
    }
  }

  /** Returns true if the file or its folder exists. The home folder itself does not count. */
  #isInstalled(file: string): boolean {
    const folder = dirname(file)
    return existsSync(file) || (folder !== this.#machine.home && existsSync(folder))
  }

  async #rewriteConfig(program: KnownClient, change: (config: ConfigText) => string): Promise<void> {
    await retryIf(isConcurrentChange, maxAttempts, async () => {
      const config = await this.#readConfig(program)
      const text = change(config)
      if (text === config.text) return
      const target = await resolveWriteTarget(config.file)
      const beforeRename = async () => {
        if ((await this.#readConfig(program)).text !== config.text) throw new ConcurrentChangeError()
      }
      await writeDurably(target, text, { shownPath: config.file, beforeRename })
    })
  }

  async #readConfig({ format, file: fileOf }: KnownClient): Promise<ConfigText> {
    const file = fileOf(this.#machine)
    return { format, file, text: (await readSmallText(file, maxBytes, true)) ?? '' }
  }

  #startCommandOf(
    { id }: KnownClient,
    { agent, client = id, isReadOnly = false, workspace }: RegistrationOptions,
  ): StartCommand {
    const { mainFolder, home, launcher } = this.#options
    const start = launcher === undefined ? startOf(mainFolder) : startOfLauncher(launcher, this.#machine.platform)
    return {
      ...start,
      args: [
        ...start.args,
        'mcp',
        '--client',
        client,
        ...(agent === undefined ? [] : ['--agent', agent]),
        ...(isReadOnly ? ['--read-only'] : []),
        ...(workspace === undefined ? [] : ['--workspace', workspace]),
        ...(home === undefined ? [] : ['--home', home]),
      ],
    }
  }
}

/** True for an entry that starts a program or script that is gone. */
function isBrokenEntry(entry: unknown): boolean {
  const parts = commandLineOf(entry)
  const start = parts.slice(0, parts.indexOf('mcp'))
  // `/c` of the shell of Windows is no path.
  return start.some((part) => isAbsolute(part) && part.length > 2 && !existsSync(part))
}

/** Returns the entry that starts the app. It keeps other fields; one that repairs a broken entry, its options, too. */
function entryFor(program: KnownClient, start: StartCommand, current: unknown): ServerEntry {
  const others = isRecord(current) ? (current as ServerEntry) : {}
  const parts = commandLineOf(current)
  const options = isBrokenEntry(current)
    ? parts.slice(parts.indexOf('mcp'))
    : start.args.slice(start.args.indexOf('mcp'))
  const args = [...start.args.slice(0, start.args.indexOf('mcp')), ...options]
  return { ...others, ...program.entry({ ...start, args }) }
}

/** @throws AppError `config_invalid` if the folder of a link's target is missing, as on an unmounted disk */
async function resolveWriteTarget(file: string): Promise<string> {
  const target = await realpath(file).catch(onSystemError(undefined, 'ENOENT'))
  if (target !== undefined) return target
  const link = await readlink(file).catch(() => undefined)
  if (link === undefined) return file
  const folder = await realpath(dirname(resolve(dirname(file), link))).catch(() => undefined)
  if (folder !== undefined) return join(folder, basename(link))
  const reason = `it is a link to ${link}, and the folder of that file is missing`
  throw new AppError('config_invalid', `${file}: ${reason}`, { file, reason })
}

/** @returns the error text of the tool; undefined if the call succeeded */
async function callTestTool(connection: McpConnection): Promise<string | undefined> {
  const signal = AbortSignal.timeout(testTimeoutMs)
  const options = { signal, timeoutMs: testTimeoutMs, isPrivate: false, onProgress: () => undefined }
  const { isError, content } = await connection.call('memory_recent', {}, options)
  if (isError !== true) return undefined
  return content.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
}

/** Never the entry of another server. @throws AppError `config_invalid` if others use both names */
function entryPathIn(config: ConfigText, { group }: KnownClient): EntryPath {
  const freeName = entryNames.find((name) => serverEntryAt(config, [group, name]) === undefined)
  const name = ownNameIn(config, group) ?? freeName
  if (name !== undefined) return [group, name]
  const reason = `${entryNames.join(' and ')} are names of other servers; rename one of them`
  throw new AppError('config_invalid', `${config.file}: ${reason}`, { file: config.file, reason })
}

function ownNameIn(config: ConfigText, group: string): string | undefined {
  return entryNames.find((name) => isOwnEntry(serverEntryAt(config, [group, name])))
}

function withoutOwnEntry(config: ConfigText, { group }: KnownClient): string {
  const ownName = ownNameIn(config, group)
  return ownName === undefined ? config.text : withoutEntry(config, [group, ownName])
}

/** @throws AppError `program_unknown` */
function requireProgram(id: string): KnownClient {
  const program = programs.find((candidate) => candidate.id === id)
  if (program) return program
  const known = programs.map((supported) => supported.id).join(', ')
  throw new AppError('program_unknown', `unknown program ${id}; supported: ${known}`, { id, known })
}
