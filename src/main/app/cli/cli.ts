import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { AppError } from '#shared/util/errors.ts'
import { embeddingProviders } from '#shared/util/providers.ts'
import type { AppOptions } from '../composition/create-app.ts'
import { ask } from './commands/ask-command.ts'
import { evaluateRecall } from './commands/evaluate-command.ts'
import { explain } from './commands/explain-command.ts'
import { exportHistory, importHistory, showHistory } from './commands/history-command.ts'
import { indexFiles, searchMemory, listChats, showStatus } from './commands/memory-commands.ts'
import { saveNote } from './commands/remember-command.ts'
import type { CommonFlags, McpFlags } from './flags.ts'
import { type Output, escapeControls, tolerateClosedOutput } from './cli-output.ts'
import { assertNeverUsed, openMemory } from './open-memory.ts'
import { vectorHelp } from './vectors.ts'
import { appVersion, defaultAgentId, SettingsStore } from '#platform'
import { openInBrowser } from '../shell.ts'
import { withPrimary, type PrimaryClient } from '../instance-lock/host-process.ts'

/** Base of the worker entries: `src/main/` in a checkout, `out/main/` in the build. */
const mainFolder = new URL(import.meta.url.endsWith('.ts') ? '../../' : '../', import.meta.url)

class UsageError extends Error {}

const parseInteger = numberParser('a whole number of at least 1', /^\d+$/, 1, Infinity)
const parsePort = numberParser('a port from 0 to 65535', /^\d+$/, 0, 65_535)
const parseFraction = numberParser('a number from 0 to 1', /\S/, 0, 1)

const program = new Command('commonplace')
  .description('A chat with an AI agent whose memory is plain Markdown on your own disk')
  .version(appVersion)
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(escapeControls(text.replace(/^error: /, 'commonplace: '))) })
  .showSuggestionAfterError(false)

function withFolderOptions(subcommand: Command): Command {
  return subcommand
    .option('--workspace <dir>', 'use this folder instead of the agent’s workspace')
    .option('--home <dir>', 'state folder (default: $COMMONPLACE_HOME or ~/.commonplace)')
}

function command(name: string, description: string, parent = program): Command {
  const subcommand = parent.command(name).description(description).option('--agent <id>', 'the agent', defaultAgentId)
  return withFolderOptions(subcommand).option('--json', 'print one JSON value')
}

function vectorCommand(name: string, description: string): Command {
  return command(name, description)
    .option('--no-wait', 'do not wait for the vectors of all entries')
    .addHelpText('after', `\n${vectorHelp}`)
}

function searchCommand(name: string, description: string): Command {
  return vectorCommand(name, description)
    .option('--max-results <n>', 'maximum number of results instead of the configured one', parseInteger)
    .option('--min-score <x>', 'minimum score, 0 to 1, instead of the configured one', parseFraction)
}

command('status', 'show the state of the index and all problems').action(onPrimary(showStatus))

vectorCommand('index', 'update the index from the files')
  .option('--force', 'index every file again')
  .action(onPrimary(indexFiles))

searchCommand('search', 'search the memory')
  .argument('<query>')
  .option('--private', 'also search private notes and chats')
  .action(onPrimary(searchMemory))

searchCommand('explain', 'show how every candidate for a query was scored')
  .argument('<query>')
  .option('--why <path:line>', 'also explain why this line was not returned')
  .option('--private', 'also search private notes and chats')
  .action(onPrimary(explain))

searchCommand('eval', 'measure recall on questions with known answers')
  .requiredOption('--queries <file>', 'questions with the lines that answer them, one JSON object per line')
  .option('--off-topic <file>', 'questions that this memory cannot answer')
  .addOption(new Option('--provider <name>', 'embedding provider').choices(embeddingProviders))
  .action(onPrimary(evaluateRecall))

command('remember', 'append a note to today’s log')
  .argument('[text]', 'the note; read from standard input if omitted')
  .option('--private', 'mark the note private: only private chats read it')
  .action(async (text: string | undefined, flags: CommonFlags) => {
    checkFolders(flags)
    print(await saveNote(appOptions(flags), flags, text), flags)
  })

command('ask', 'ask the agent')
  .argument('<message>')
  .option('--model <id>', 'model to use instead of the agent’s')
  .option('--session <id>', 'continue a chat: its id, the start of its id, or "last"')
  .option('--private', 'make the chat private: only models on this machine read it')
  .option('--send-anyway', 'send the message even if it has private lines and the chat is not private')
  .option('--as-message', 'send the message to the model, even if it begins like a command')
  .option('--without-memory', 'start a temporary chat: memory is neither read nor written')
  .action(onPrimary(ask, false))

command('sessions', 'list the chats, newest first')
  .option('--private', 'also show the titles of private chats')
  .action(onPrimary(listChats))

const history = program.command('history').description('show, export and import the history of the notes')

command('show', 'list the changes of a note, or print its text at a time', history)
  .argument('<path>')
  .option('--at <time>', 'print the text at this time, such as 2026-01-20 or 2026-01-20T18:30')
  .option('--limit <n>', 'maximum number of changes', parseInteger, 100)
  .option('--private', 'also print private text')
  .action(onPrimary(showHistory))

command('export', 'write the history as a Git repository', history)
  .requiredOption('--git <dir>', 'an empty or new folder')
  .option('--private', 'also export private text')
  .action(onPrimary(exportHistory))

command('import', 'add the history of a Git repository before the oldest change', history)
  .requiredOption('--git <dir>', 'a repository, or a folder in one')
  .action(onPrimary(importHistory))

withFolderOptions(program.command('mcp'))
  .description('serve the memory to another program over standard input and output (Model Context Protocol)')
  .option('--agent <id>', 'the agent whose memory is served (default: the one configured for this program)')
  .option('--client <name>', 'name of the program (default: the name that it sends)')
  .option('--read-only', 'refuse all writes, even if the program may write')
  .option('--install <program>', 'register with claude-code, claude-desktop, codex, cursor, vscode, goose, …')
  .option('--uninstall <program>', 'remove the registration')
  .option('--dry-run', 'with --install or --uninstall: only print the changes')
  .action(async (flags: McpFlags) => {
    checkFolders(flags)
    const programId = flags.install ?? flags.uninstall
    if (flags.install !== undefined && flags.uninstall !== undefined)
      throw new UsageError('use either --install or --uninstall, not both')
    if (programId === undefined && flags.dryRun) throw new UsageError('--dry-run needs --install or --uninstall')
    if (programId === undefined) return serveMcp(flags)
    const { connectProgram } = await import('./commands/mcp-command.ts')
    print(await connectProgram(appOptions(flags), flags, programId), { agent: flags.agent ?? defaultAgentId })
  })

command('serve', 'host the interface for a browser on this machine')
  .option('--port <n>', 'port (default: the one of the last start, else a free port)', parsePort)
  .option('--no-open', 'do not open the browser')
  .action(serve)

tolerateClosedOutput()
const exitWith = (error: unknown) => process.exit(printError(error))
process.on('uncaughtException', exitWith)
try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = printError(error)
}

/** Returns an action that calls `run` and prints the result. @param isRepeatable as for `withPrimary` */
function onPrimary<Flags extends CommonFlags>(
  run: (primary: PrimaryClient, flags: Flags, argument: string) => Promise<Output>,
  isRepeatable = true,
) {
  return async function (this: Command): Promise<void> {
    const flags = this.opts<Flags>()
    checkFolders(flags)
    const output = await withPrimary(appOptions(flags), isRepeatable, async (primary) => {
      const { file, problems, firstRun, usesLastGood } = await primary.client.settings.get()
      const problemText = SettingsStore.describe(file, problems)
      // A command that opens the memory itself must not use the defaults instead of lost or invalid settings.
      if (primary.isOwnApp && firstRun) assertNeverUsed(primary.base, flags.agent)
      // Unknown settings are only ignored.
      const isConfigInvalid = problems.some(({ fault }) => fault !== 'unknown')
      if (primary.isOwnApp && isConfigInvalid && !usesLastGood) throw new AppError('config_invalid', problemText)
      const result = await run(primary, flags, this.args[0] ?? '')
      if (problems.length === 0) return result
      return { ...result, warning: [result.warning, problemText].filter(Boolean).join('; ') }
    })
    print(output, flags)
  }
}

function appOptions({ home, workspace, agent }: Omit<CommonFlags, 'agent'> & { readonly agent?: string }): AppOptions {
  return { mainFolder, env: process.env, home, workspace, agent }
}

function print({ value, text, warning, isFailure }: Output, flags: CommonFlags): void {
  process.stdout.write(escapeControls(flags.json ? `${JSON.stringify(value)}\n` : text === '' ? '' : `${text}\n`))
  if (warning) process.stderr.write(escapeControls(`commonplace: ${warning}\n`))
  if (isFailure) process.exitCode = 1
}

async function serveMcp(flags: McpFlags): Promise<void> {
  const options = appOptions(flags)
  const opening = openMemory(options, flags.agent ?? defaultAgentId)
  // `runMcpServer` reports the error. Until it awaits the promise, a rejection must not count as unhandled.
  opening.catch(() => undefined)
  // Imported on demand: loading the MCP SDK takes 100 ms.
  const { runMcpServer } = await import('./commands/mcp-command.ts')
  await runMcpServer(opening, options, flags)
}

async function serve(flags: CommonFlags & { port?: number; open: boolean }): Promise<void> {
  checkFolders(flags)
  // `disconnect`: the parent process has exited.
  const shutdown = Promise.race(['SIGINT', 'SIGTERM', 'disconnect'].map((name) => once(process, name)))
  // The IPC channel alone must not keep the process alive.
  process.channel?.unref()
  const { startServer } = await import('../server/start-server.ts')
  const server = await startServer({ ...appOptions(flags), port: flags.port })
  // The server handles uncaught errors itself and keeps running.
  process.off('uncaughtException', exitWith)
  process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
  const { file, problems } = server.settings
  if (problems.length > 0) process.stderr.write(`commonplace: ${SettingsStore.describe(file, problems)}\n`)
  if (flags.open) openInBrowser(server.oneTimeUrl())
  await shutdown
  await server.close()
}

function checkFolders({ workspace, home }: Pick<CommonFlags, 'workspace' | 'home'>): void {
  if (workspace !== undefined && !isFolder(workspace)) throw new UsageError(`--workspace ${workspace}: no such folder`)
  if (home !== undefined && existsSync(home) && !isFolder(home)) throw new UsageError(`--home ${home}: not a folder`)
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

function numberParser(expected: string, pattern: RegExp, min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (pattern.test(value) && number >= min && number <= max) return number
    throw new InvalidArgumentError(`expected ${expected}.`)
  }
}

/** Prints the error as one line to stderr. @returns the exit code: 2 for a usage error, else 1 */
function printError(error: unknown): number {
  // Commander has printed its own message. It also throws, with the exit code 0, after `--help` and `--version`.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`commonplace: ${escapeControls(message.replaceAll('\n', ' '))}\n`)
  const usageCodes = ['unknown_agent', 'unknown_session', 'unknown_model', 'input_invalid']
  return error instanceof UsageError || (error instanceof AppError && usageCodes.includes(error.code)) ? 2 : 1
}
