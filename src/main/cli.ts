/** Entry of the terminal: the same runtime without a window (M49). Exit 0 done, 1 failed, 2 wrong use. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { existsSync, statSync } from 'node:fs'
import { AppError } from '../shared/errors.ts'
import { createApp, type App } from './app.ts'
import * as commands from './cli-commands.ts'
import { openInBrowser } from './host/index.ts'
import { appVersion } from './version.ts'
import { startServer } from './server.ts'
import { describeProblems } from './settings/index.ts'

export interface CommonFlags {
  readonly agent: string
  readonly workspace?: string
  readonly home?: string
  readonly json?: boolean
}

/** Where this entry lies; the build keeps its threads beside it. */
const mainFolder = new URL('./', import.meta.url)

/** What went wrong is the caller's to mend: exit 2. */
class UsageError extends Error {}

const program = new Command('commonplace')
  .description('A chat with an AI agent whose memory is plain Markdown on your own disk')
  .version(appVersion)
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'commonplace: ')) })
  .showSuggestionAfterError(false)

function command(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--agent <id>', 'the agent', 'main')
    .option('--workspace <dir>', 'use this folder instead of the agent’s own')
    .option('--home <dir>', 'state folder (default: $COMMONPLACE_HOME or ~/.commonplace)')
    .option('--json', 'print one JSON value')
}

command('status', 'how the index is').action(async (flags: CommonFlags) => withApp(flags, commands.status))

command('index', 'bring the index in step with the files')
  .option('--force', 'read every file anew')
  .action(async (flags: CommonFlags & { force?: boolean }) => withApp(flags, (app) => commands.index(app, flags)))

command('search', 'search the memory')
  .argument('<query>')
  .option('--max-results <n>', 'most results', integer)
  .option('--min-score <x>', 'least score, 0 to 1', share)
  .action(async (query: string, flags: CommonFlags & commands.SearchFlags) =>
    withApp(flags, (app) => commands.search(app, flags, query)),
  )

command('explain', 'say how every candidate for a query was scored')
  .argument('<query>')
  .option('--max-results <n>', 'most results', integer)
  .option('--min-score <x>', 'least score, 0 to 1', share)
  .option('--why <path:line>', 'also say what kept this line out')
  .action(async (query: string, flags: CommonFlags & commands.ExplainFlags) =>
    withApp(flags, (app) => commands.explain(app, flags, query)),
  )

command('eval', 'measure recall on judged questions')
  .requiredOption('--queries <file>', 'questions with the lines that answer them, one JSON object a line')
  .option('--off-topic <file>', 'questions that this memory cannot answer')
  .option('--max-results <n>', 'most results, in place of the settings’', integer)
  .option('--min-score <x>', 'the threshold, 0 to 1, in place of the settings’', share)
  .addOption(
    new Option('--provider <name>', 'embedding provider').choices([
      'none',
      'openai',
      'gemini',
      'openai-compatible',
      'local',
    ]),
  )
  .action(async (flags: CommonFlags & commands.EvalFlags) =>
    withApp(flags, (app) => commands.evaluate(app, flags), flags.provider),
  )

command('remember', 'append a note to today’s log')
  .argument('[text]', 'the note; read from standard input when left out')
  .action(async (text: string | undefined, flags: CommonFlags) =>
    withApp(flags, (app) => commands.remember(app, flags, text)),
  )

command('ask', 'ask the agent')
  .argument('<message>')
  .option('--model <id>', 'another model than the agent’s')
  .action(async (message: string, flags: CommonFlags & { model?: string }) =>
    withApp(flags, (app) => commands.ask(app, flags, message)),
  )

command('serve', 'host the interface for a browser on this machine')
  .option('--port <n>', 'port (default: a free one)', port)
  .option('--no-open', 'do not open the browser')
  .action(serve)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = tell(error)
}

/** Runs one command on an app of its own and prints what it returns. */
async function withApp(
  flags: CommonFlags,
  run: (app: App, flags: CommonFlags) => Promise<commands.Output>,
  embeddingProvider?: commands.EvalFlags['provider'],
): Promise<void> {
  checkFolders(flags)
  const app = await createApp({
    mainFolder,
    env: process.env,
    home: flags.home,
    workspace: flags.workspace,
    watch: false,
    embeddingProvider,
  })
  try {
    if (app.settings.problems.length > 0)
      throw new AppError('config_invalid', describeProblems(app.settings.file, app.settings.problems))
    const { value, text } = await run(app, flags)
    process.stdout.write(flags.json ? `${JSON.stringify(value)}\n` : text === '' ? '' : `${text}\n`)
  } finally {
    await app.close()
  }
}

async function serve(flags: CommonFlags & { port?: number; open: boolean }): Promise<void> {
  checkFolders(flags)
  const server = await startServer({
    mainFolder,
    env: process.env,
    home: flags.home,
    workspace: flags.workspace,
    ...(flags.port === undefined ? {} : { port: flags.port }),
  })
  process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
  if (flags.open) openInBrowser(server.url)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  await server.close()
}

function checkFolders({ workspace, home }: CommonFlags): void {
  if (workspace !== undefined && !isFolder(workspace))
    throw new UsageError(`--workspace ${workspace}: there is no such folder`)
  if (home !== undefined && existsSync(home) && !isFolder(home)) throw new UsageError(`--home ${home}: is not a folder`)
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

function integer(value: string): number {
  if (!/^\d+$/.test(value) || Number(value) < 1) throw new InvalidArgumentError('a whole number from 1 on is wanted.')
  return Number(value)
}

function port(value: string): number {
  if (!/^\d+$/.test(value) || Number(value) > 65_535)
    throw new InvalidArgumentError('a port from 0 to 65535 is wanted.')
  return Number(value)
}

function share(value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !(number >= 0 && number <= 1))
    throw new InvalidArgumentError('a number from 0 to 1 is wanted.')
  return number
}

/** One line on stderr. @returns the exit code */
function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`commonplace: ${message.replaceAll('\n', ' ')}\n`)
  const isUsage =
    error instanceof UsageError ||
    (error instanceof AppError && ['unknown_agent', 'input_invalid'].includes(error.code))
  return isUsage ? 2 : 1
}
