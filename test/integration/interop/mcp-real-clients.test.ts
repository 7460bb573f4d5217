/**
 * Real MCP clients against the memory. They are no dependencies: the test runs if `COMMONPLACE_REAL_CLIENTS` names a
 * folder with `npm install @anthropic-ai/claude-code @openai/codex`.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { prepareFolders } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { cli } from '../../support/built.ts'

const run = promisify(execFile)
const bin = join(process.env['COMMONPLACE_REAL_CLIENTS'] ?? '', 'node_modules/.bin')
const has = (name: string) => process.env['COMMONPLACE_REAL_CLIENTS'] !== undefined && existsSync(join(bin, name))

async function prepare(program: string) {
  const { home, workspace } = await prepareFolders({ files: { 'projects/acme.md': '# Acme\n\nPostgreSQL 17.\n' } })
  const user = join(home, 'user')
  await mkdir(join(user, '.codex'), { recursive: true })
  const env = { PATH: process.env['PATH'], HOME: user, CODEX_HOME: join(user, '.codex'), COMMONPLACE_HOME: home }
  await run(process.execPath, [cli, 'mcp', '--install', program, '--home', home], { env })
  return { env, home, workspace, user }
}

describe('real MCP clients', () => {
  it.runIf(has('claude'))(
    'registers with Claude Code, which connects',
    async () => {
      const { env, user } = await prepare('claude-code')
      expect(await readFile(join(user, '.claude.json'), 'utf8')).toContain('"commonplace"')
      const { stdout } = await run(join(bin, 'claude'), ['mcp', 'list'], { env, cwd: user, timeout: 60_000 })
      expect(stdout).toMatch(/commonplace: .*Connected/)
    },
    90_000,
  )

  it.runIf(has('codex'))(
    'registers with Codex, which connects',
    async () => {
      const { env, home, user } = await prepare('codex')
      const args = ['exec', '--skip-git-repo-check', '-c', 'model_provider="x"']
      const nobody = 'model_providers.x={name="x",base_url="http://127.0.0.1:9/v1",wire_api="responses"}'
      const child = spawn(join(bin, 'codex'), [...args, '-c', nobody, 'hello'], { env, cwd: user, stdio: 'ignore' })
      try {
        const known = () => readFile(join(home, 'clients.json'), 'utf8').catch(() => '')
        await until(async () => (await known()).includes('"id": "codex"'), 60_000)
      } finally {
        child.kill('SIGKILL')
      }
    },
    90_000,
  )
})
