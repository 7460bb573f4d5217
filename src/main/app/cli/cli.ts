import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { styleText } from 'node:util'
import { agentIdSchema } from '#shared/contract/base.ts'
import { AppError } from '#shared/util/errors.ts'
import { embeddingProviders } from '#shared/util/providers.ts'
import type { hostTexts } from '#shared/i18n/host-texts.ts'
import type { AppOptions } from '../composition/create-app.ts'
import { ask } from './commands/ask-command.ts'
import { explain } from './commands/explain-command.ts'
import { exportHistory, importHistory, showHistory } from './commands/history-command.ts'
import { indexFiles, searchMemory, listChats, showStatus } from './commands/memory-commands.ts'
import { getNote, importFiles, listRecent, undoChange } from './commands/note-commands.ts'
import { completionScript, shells, type Shell } from './completion.ts'
import { homeFlag, type CommonFlags, type EvalFlags, type McpFlags } from './flags.ts'
import { type Output, escapeControls, tolerateClosedOutput, UsageError } from './cli-output.ts'
import { assertNeverUsed } from './open-memory.ts'
import { errorText, loadHostTexts, problemsText, t } from '../texts.ts'
import { defaultStateHome, stateFolders } from '../agents/state-folders.ts'
import { appVersion, defaultAgentId } from '#platform'
import { openInBrowser } from '../shell.ts'
import { withPrimary, type PrimaryClient } from '../instance-lock/with-primary.ts'

/** Base of the worker entries: `src/main/` in a checkout, `out/main/` in the build. */
const mainFolder = new URL(import.meta.url.endsWith('.ts') ? '../../' : '../', import.meta.url)

const { argv, env } = process
const systemLanguage = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || ''
await loadHostTexts(stateFolders(homeFlag(argv) ?? defaultStateHome(env)).config, [systemLanguage])

/** The place at the start of a result. `styleText` leaves out colours with NO_COLOR, and in pipes and files. */
const resultPlace = /^\S[^·\n]*:\d+(?:-\d+)?(?= · \d\.\d\d · )/gm

const parseInteger = numberParser('usage.whole', /^\d+$/, 1, Infinity)
const parsePort = numberParser('usage.port', /^\d+$/, 0, 65_535)
const parseFraction = numberParser('usage.fraction', /\S/, 0, 1)

const program = new Command('commonplace')
  .description(t('help.about'))
  .version(appVersion, '-V, --version', t('help.version'))
  .helpOption('-h, --help', t('help.help'))
  .helpCommand('help [command]', t('help.help'))
  .configureHelp({
    styleTitle: (title) => t(`help.${title.slice(0, -1).toLowerCase()}` as 'help.usage'),
    styleUsage: translatePlaceholders,
    styleSubcommandTerm: translatePlaceholders,
    optionDescription: describeOption,
  })
  .exitOverride()
  // `printError` prints the error.
  .configureOutput({ outputError: () => undefined })

function withFolderOptions(subcommand: Command): Command {
  return subcommand.option('--workspace <dir>', t('help.workspace')).option('--home <dir>', t('help.home'))
}

function command(name: string, description: string, parent = program): Command {
  const subcommand = parent
    .command(name)
    .description(description)
    .option('--agent <id>', t('help.agent'), defaultAgentId)
  return withFolderOptions(subcommand).option('--json', t('help.json'))
}

function vectorCommand(name: string, description: string): Command {
  return command(name, description)
    .option('--no-wait', t('help.noWait'))
    .addHelpText('after', `\n${t('help.vectors')}`)
}

function searchCommand(name: string, description: string): Command {
  return vectorCommand(name, description)
    .option('--max-results <n>', t('help.maxResults'), parseInteger)
    .option('--min-score <x>', t('help.minScore'), parseFraction)
}

command('status', t('help.status')).action(onPrimary(showStatus))

vectorCommand('index', t('help.index')).option('--force', t('help.force')).action(onPrimary(indexFiles))

searchCommand('search', t('help.search'))
  .argument('<query>')
  .option('--private', t('help.searchPrivate'))
  .option('--grep', t('help.grep'))
  .option('--fail-empty', t('help.failEmpty'))
  .action(onPrimary(searchMemory))

command('get', t('help.get'))
  .argument('<path[:line]>')
  .option('--private', t('help.showPrivate'))
  .action(onPrimary(getNote))

command('recent', t('help.recent'))
  .option('--limit <n>', t('help.limit'), parseInteger, 20)
  .option('--private', t('help.recentPrivate'))
  .action(onPrimary(listRecent))

command('undo', t('help.undo')).argument('[change]').action(onPrimary(undoChange, false))

command('import', t('help.import'))
  .argument('<path>')
  .option('--into <folder>', t('help.into'), 'memory/imports')
  .option('--no-attachments', t('help.noAttachments'))
  .option('--dry-run', t('help.dryImport'))
  .action(onPrimary(importFiles, false))

searchCommand('explain', t('help.explain'))
  .argument('<query>')
  .option('--why <path:line>', t('help.why'))
  .option('--private', t('help.searchPrivate'))
  .action(onPrimary(explain))

searchCommand('eval', t('help.eval'))
  .requiredOption('--queries <file>', t('help.queries'))
  .option('--off-topic <file>', t('help.offTopic'))
  .addOption(new Option('--provider <name>', t('help.provider')).choices(embeddingProviders))
  .action(
    onPrimary(async (primary, flags: CommonFlags & EvalFlags) =>
      (await import('./commands/evaluate-command.ts')).evaluateRecall(primary, flags),
    ),
  )

command('remember', t('help.remember'))
  .argument('[text]', t('help.note'))
  .option('--private', t('help.notePrivate'))
  .action(async (text: string | undefined, flags: CommonFlags) => {
    checkFolders(flags)
    const { saveNote } = await import('./commands/remember-command.ts')
    print(await saveNote(appOptions(flags), flags, text), flags)
  })

command('ask', t('help.ask'))
  .argument('<message>')
  .option('--model <id>', t('help.model'))
  .option('--session <id>', t('help.session'))
  .option('--private', t('help.askPrivate'))
  .option('--send-anyway', t('help.sendAnyway'))
  .option('--as-message', t('help.asMessage'))
  .option('--without-memory', t('help.withoutMemory'))
  .action(onPrimary(ask, false))

command('sessions', t('help.sessions')).option('--private', t('help.sessionsPrivate')).action(onPrimary(listChats))

const history = program.command('history').description(t('help.history'))

command('show', t('help.historyShow'), history)
  .argument('<path>')
  .option('--at <time>', t('help.at'))
  .option('--limit <n>', t('help.limit'), parseInteger, 100)
  .option('--private', t('help.showPrivate'))
  .action(onPrimary(showHistory))

command('export', t('help.historyExport'), history)
  .requiredOption('--git <dir>', t('help.exportGit'))
  .option('--private', t('help.exportPrivate'))
  .action(onPrimary(exportHistory))

command('import', t('help.historyImport'), history)
  .requiredOption('--git <dir>', t('help.importGit'))
  .action(onPrimary(importHistory))

withFolderOptions(program.command('mcp'))
  .description(t('help.mcp'))
  .option('--agent <id>', t('help.mcpAgent'))
  .option('--client <name>', t('help.client'))
  .option('--read-only', t('help.readOnly'))
  .option('--connector', t('help.connector'))
  .option('--install <program>', t('help.install'))
  .option('--uninstall <program>', t('help.uninstall'))
  .option('--dry-run', t('help.dryRun'))
  .action(async (flags: McpFlags) => {
    checkFolders(flags)
    const programId = flags.install ?? flags.uninstall
    if (flags.install !== undefined && flags.uninstall !== undefined)
      throw new UsageError(t('usage.installOrUninstall'))
    if (programId === undefined && flags.dryRun) throw new UsageError(t('usage.dryRun'))
    if (programId === undefined) return serveMcp(flags)
    const { connectProgram } = await import('./commands/mcp-command.ts')
    print(await connectProgram(appOptions(flags), flags, programId), { agent: flags.agent ?? defaultAgentId })
  })

withFolderOptions(program.command('own', { hidden: true })).action(async (flags: { home?: string }) => {
  const { keepMemoryOpen } = await import('../instance-lock/owner-process.ts')
  await keepMemoryOpen(appOptions(flags))
})

command('serve', t('help.serve'))
  .option('--port <n>', t('help.port'), parsePort)
  .option('--no-open', t('help.noOpen'))
  .action(serve)

program
  .command('install')
  .description(t('help.installCommand'))
  .option('--yes', t('help.yes'))
  .addOption(new Option('--once').hideHelp())
  .action(async ({ yes = false, once: isOnce = false }: { yes?: boolean; once?: boolean }) => {
    const { offerCommand } = await import('./commands/mcp-command.ts')
    print(await offerCommand(appOptions({}), yes, isOnce), { agent: defaultAgentId })
  })

program
  .command('completion')
  .description(t('help.completion'))
  .addArgument(new Argument('<shell>').choices(shells))
  .action((shell: Shell) => void process.stdout.write(`${completionScript(shell, program)}\n`))

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
      const problemText = problemsText(file, problems)
      // A command that opens the memory itself must not use the defaults instead of lost or invalid settings.
      if (primary.isOwnApp && firstRun) assertNeverUsed(primary.base, flags.agent)
      // Unknown settings are only ignored.
      const isConfigInvalid = problems.some(({ fault }) => fault !== 'unknown')
      if (primary.isOwnApp && isConfigInvalid && !usesLastGood) throw new AppError('config_invalid', problemText)
      const result = await run(primary, flags, this.args[0] ?? '')
      if (problems.length === 0) return result
      return { ...result, warning: [result.warning, problemText].filter(Boolean).join(t('common.semicolon')) }
    })
    print(output, flags)
  }
}

function appOptions({
  home,
  workspace,
  agent,
}: Partial<Record<'home' | 'workspace' | 'agent', string | undefined>>): AppOptions {
  return { mainFolder, env: process.env, home, workspace, agent }
}

function print({ value, text, warning, isFailure }: Output, flags: CommonFlags): void {
  const shown = escapeControls(flags.json ? `${JSON.stringify(value)}\n` : text === '' ? '' : `${text}\n`)
  process.stdout.write(flags.json ? shown : shown.replaceAll(resultPlace, (place) => styleText('cyan', place)))
  if (warning) process.stderr.write(escapeControls(`commonplace: ${warning}\n`))
  if (isFailure) process.exitCode = 1
}

async function serveMcp(flags: McpFlags): Promise<void> {
  const { HostProcess } = await import('../instance-lock/host-process.ts')
  const opening = HostProcess.open(appOptions(flags))
  // `runMcpServer` reports the error. Until it awaits the promise, a rejection must not count as unhandled.
  opening.catch(() => undefined)
  // Imported on demand: loading the MCP SDK takes 100 ms.
  const { runMcpServer } = await import('./commands/mcp-command.ts')
  await runMcpServer(opening, flags)
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
  if (problems.length > 0) process.stderr.write(`commonplace: ${problemsText(file, problems)}\n`)
  if (flags.open) openInBrowser(server.oneTimeUrl())
  await shutdown
  await server.close()
}

function checkFolders({ workspace, home, agent }: Omit<McpFlags, 'client'>): void {
  if (agent !== undefined && !agentIdSchema.safeParse(agent).success)
    throw new UsageError(t('usage.agent', { id: agent }))
  if (workspace !== undefined && !isFolder(workspace)) throw new UsageError(t('usage.workspace', { path: workspace }))
  if (home !== undefined && existsSync(home) && !isFolder(home)) throw new UsageError(t('usage.home', { path: home }))
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

type UsageKey = keyof (typeof hostTexts)['en']['usage']

function numberParser(expected: `usage.${UsageKey}`, pattern: RegExp, min: number, max: number) {
  return (value: string): number => {
    const number = Number(value)
    if (pattern.test(value) && number >= min && number <= max) return number
    throw new InvalidArgumentError(t(expected))
  }
}

function translatePlaceholders(text: string): string {
  return text.replace('[options]', t('help.optionsWord')).replace('[command]', t('help.commandWord'))
}

function describeOption({ description, defaultValue, argChoices }: Option): string {
  const choices = argChoices && t('help.choices', { choices: argChoices.map((one) => JSON.stringify(one)).join(', ') })
  const isShown = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  return [description, choices, isShown && t('help.default', { value: JSON.stringify(defaultValue) })]
    .filter(Boolean)
    .join(' ')
}

/** Describes a mistake in the arguments. Commander quotes the option or argument, then the value. */
function usageText({ code, message }: CommanderError): string {
  const [name, value] = Array.from(message.matchAll(/'([^']*)'/g), ([, quoted]) => quoted)
  const [, choices] = /Allowed choices are (.*)\.$/.exec(message) ?? []
  const [, expected, received] = /Expected (\d+) \w+ but got (\d+)/.exec(message) ?? []
  const reason = choices === undefined ? message.replace(/^.* is invalid\. ?/s, '') : t('usage.choices', { choices })
  const text = t(`usage.${code.replace('commander.', '') as UsageKey}`, { name, value, reason, expected, received })
  const [, similar] = /\(Did you mean (?:one of )?(.+)\?\)$/.exec(message) ?? []
  if (similar !== undefined) return text + t('common.semicolon') + t('usage.similar', { similar })
  return code === 'commander.unknownOption' && /\s/.test(name ?? '') ? `${text}; ${t('usage.dashes')}` : text
}

/** Prints the error as one line to stderr. @returns the exit code: 2 for a usage error, else 1 */
function printError(error: unknown): number {
  const isUsage = error instanceof CommanderError
  // Commander also throws after it has printed the help or the version.
  if (isUsage && (error.exitCode === 0 || error.code === 'commander.help')) return error.exitCode === 0 ? 0 : 2
  const message = isUsage ? usageText(error) : errorText(error)
  process.stderr.write(`commonplace: ${escapeControls(message.replaceAll('\n', ' '))}\n`)
  const usageCodes = [
    'unknown_agent',
    'unknown_session',
    'unknown_model',
    'input_invalid',
    'folder_not_empty',
    'question_invalid',
    'program_unknown',
  ]
  return isUsage || error instanceof UsageError || (error instanceof AppError && usageCodes.includes(error.code))
    ? 2
    : 1
}
