import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const { argv, env } = process
const flagIndex = argv.findIndex((arg) => arg === '--home' || arg.startsWith('--home='))
const flag = argv[flagIndex] === '--home' ? argv[flagIndex + 1] : argv[flagIndex]?.slice('--home='.length)
const home = flag ?? (env['COMMONPLACE_HOME'] || join(homedir(), '.commonplace'))
// Node uses its own cache if this variable is set.
if (env['NODE_COMPILE_CACHE'] === undefined && existsSync(home)) enableCompileCache(join(home, 'compiled'))

// Compiling a schema pays off only in a long-running server.
if (argv[2] !== 'serve') (await import('zod')).config({ jitless: true })
await import('./cli.ts')
