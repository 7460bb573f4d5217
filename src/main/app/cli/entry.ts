import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../../../package.json' with { type: 'json' }
import { homeFlag } from './flags.ts'

const { argv, env } = process
const home = homeFlag(argv) ?? (env['COMMONPLACE_HOME'] || join(homedir(), '.commonplace'))
// Node uses its own cache if this variable is set.
if (env['NODE_COMPILE_CACHE'] === undefined && existsSync(home)) enableCompileCache(join(home, 'compiled'))

if (argv.length === 3 && (argv[2] === '--version' || argv[2] === '-V')) process.stdout.write(`${version}\n`)
else if (argv[2] !== 'mcp' || !(await (await import('../instance-lock/relay.ts')).relay(argv.slice(3), home))) {
  // Compiling a schema pays off only in a long-running server.
  if (argv[2] !== 'serve') (await import('zod')).config({ jitless: true })
  await import('./cli.ts')
}
