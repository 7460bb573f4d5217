import { join } from 'node:path'
import { isRecord } from '#shared/util/json.ts'
import type { ConfigFormat, ServerEntry } from './config-text.ts'

export interface StartCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface Machine {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: NodeJS.ProcessEnv
}

export interface KnownClient {
  readonly id: string
  readonly name: string
  readonly format: ConfigFormat
  readonly group: string
  readonly file: (machine: Machine) => string
  readonly entry: (start: StartCommand) => ServerEntry
  readonly link?: (start: StartCommand) => string
}

const entryName = 'commonplace'
/** The second one is for a configuration where another server has the first. */
export const entryNames = [entryName, 'commonplace-memory'] as const

/** True also for an entry that was written by hand as documented. */
export function isOwnEntry(entry: unknown): boolean {
  const commandLine = commandLineOf(entry)
  const mcpIndex = commandLine.indexOf('mcp')
  const before = commandLine.slice(0, Math.max(0, mcpIndex))
  // `commonplace` or its executable, which options can follow, or the entry file that Node runs, just before `mcp`.
  const startsApp =
    before.some((part) => /commonplace[^\\/]*$/i.test(part)) ||
    /[\\/](index\.js|entry\.ts|launch\.mjs)$/i.test(before.at(-1) ?? '')
  return mcpIndex > 0 && (startsApp || commandLine.includes('--client'))
}

/** Returns the command of an entry and its arguments; [] for another value. */
export function commandLineOf(entry: unknown): string[] {
  if (!isRecord(entry)) return []
  const command = entry['command'] ?? entry['cmd']
  const args = Array.isArray(entry['args']) ? entry['args'].filter((arg) => typeof arg === 'string') : []
  return [typeof command === 'string' ? command : '', ...args]
}

const untypedEntry = ({ command, args, env }: StartCommand): ServerEntry => ({
  command,
  args,
  ...(Object.keys(env).length > 0 ? { env } : {}),
})
const typedEntry = (start: StartCommand): ServerEntry => ({ type: 'stdio', ...untypedEntry(start) })

const gooseTexts = [
  ['name', 'Commonplace'],
  ['description', 'Your long-term memory'],
]
const mcpServersInJson = { format: 'json', group: 'mcpServers' } as const

export const programs: readonly KnownClient[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    ...mcpServersInJson,
    file: ({ home, env }) => join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json'),
    entry: typedEntry,
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    ...mcpServersInJson,
    file: (machine) => join(applicationData(machine), 'Claude', 'claude_desktop_config.json'),
    entry: untypedEntry,
  },
  {
    id: 'codex',
    name: 'Codex',
    format: 'toml',
    group: 'mcp_servers',
    file: ({ home, env }) => join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml'),
    entry: untypedEntry,
  },
  {
    id: 'cursor',
    name: 'Cursor',
    ...mcpServersInJson,
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    entry: untypedEntry,
    link: (start) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${entryName}&config=${encodeURIComponent(Buffer.from(JSON.stringify(untypedEntry(start))).toString('base64'))}`,
  },
  {
    id: 'vscode',
    name: 'VS Code',
    format: 'json',
    group: 'servers',
    file: (machine) => join(applicationData(machine), 'Code', 'User', 'mcp.json'),
    entry: typedEntry,
    link: (start) =>
      `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: entryName, ...typedEntry(start) }))}`,
  },
  {
    id: 'goose',
    name: 'Goose',
    format: 'yaml',
    group: 'extensions',
    file: (machine) =>
      machine.platform === 'win32'
        ? join(applicationData(machine), 'Block', 'goose', 'config', 'config.yaml')
        : join(machine.env['XDG_CONFIG_HOME'] ?? join(machine.home, '.config'), 'goose', 'config.yaml'),
    entry: ({ command: cmd, args, env: envs }) => {
      return { enabled: true, type: 'stdio', name: entryName, cmd, args, envs, timeout: 300 }
    },
    link: ({ command, args }) => {
      const options = [['cmd', command], ...args.map((arg) => ['arg', arg]), ['id', entryName], ...gooseTexts]
      return `goose://extension?${options.map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`).join('&')}`
    },
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    ...mcpServersInJson,
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    entry: untypedEntry,
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    ...mcpServersInJson,
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    entry: untypedEntry,
  },
]

function applicationData({ platform, home, env }: Machine): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming')
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config')
}
