import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const { argv, env } = process
const home = homeOf(argv) ?? (env['COMMONPLACE_HOME'] || join(homedir(), '.commonplace'))
// Node uses its own cache if this variable is set.
if (env['NODE_COMPILE_CACHE'] === undefined && existsSync(home)) enableCompileCache(join(home, 'compiled'))

// Compiling a schema pays off only in a long-running server.
if (argv[2] !== 'serve') (await import('zod')).config({ jitless: true })
await import('./cli.ts')

function homeOf(args: readonly string[]): string | undefined {
  const flagIndex = args.findIndex((arg) => arg === '--home' || arg.startsWith('--home='))
  return args[flagIndex] === '--home' ? args[flagIndex + 1] : args[flagIndex]?.slice('--home='.length)
}
