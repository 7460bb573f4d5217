import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const { argv, env } = process
const home = homeOf(argv) ?? (env['COMMONPLACE_HOME'] || join(homedir(), '.commonplace'))
// Whoever starts this may have a place for it already.
if (env['NODE_COMPILE_CACHE'] === undefined && existsSync(home)) enableCompileCache(join(home, 'compiled'))

// To check something once takes less time than to compile a check for it; a host checks again and again.
if (argv[2] !== 'serve') (await import('zod')).config({ jitless: true })
await import('./cli.ts')

/** As `--home` says. */
function homeOf(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === '--home' || arg.startsWith('--home='))
  return args[at] === '--home' ? args[at + 1] : args[at]?.slice('--home='.length)
}
