/**
 * Runs the random and crash tests with many cases and prints a table: `npm run test:stress`. Takes
 * some 20 minutes on two cores. Exits with 1 if a part failed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

const randomTests = [
  'test/integration/agent/privacy-over-time',
  'test/integration/agent/compaction',
  'test/integration/agent/provider-failures',
  'test/integration/app/fuzz',
  'test/integration/curation/suggestions-safety',
  'test/integration/interop/crash-import',
  'test/integration/interop/import.test',
  'test/integration/llm/streams',
  'test/integration/platform/full-disk',
  'test/integration/workspace/crash',
  'test/integration/workspace/find-replace',
  'test/integration/workspace/history',
  'test/integration/workspace/revert-model',
  'test/unit/curation/keep-private',
  'test/unit/search/edit-distance',
  'test/unit/search/ranking/',
  'test/unit/search/terms',
  'test/unit/search/units/',
  'test/unit/shared/links/',
  'test/unit/workspace/',
]
/** A part that takes longer has failed. */
const limitMs = 15 * 60_000

interface Row {
  readonly part: string
  readonly result: 'passed' | 'failed'
  readonly seconds: number
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly startTime: number
    readonly endTime: number
  }[]
}

/** Runs a script of this folder or of the project. @returns true if it ended with 0 within the limit */
async function run(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<boolean> {
  const child = spawn(process.execPath, [join(root, script), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
    timeout: limitMs,
  })
  const [code] = await once(child, 'exit')
  return code === 0
}

const folder = mkdtempSync(join(tmpdir(), 'commonplace-stress-'))
const report = join(folder, 'report.json')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
await run('test/support/run.mjs', [...randomTests, ...reporters], { THOROUGH: '1' })
const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as VitestReport
const rows = testResults.map(({ name, status, startTime, endTime }): Row => {
  const seconds = Math.round((endTime - startTime) / 1000)
  return { part: relative(root, name), result: status === 'passed' ? 'passed' : 'failed', seconds }
})
rmSync(folder, { recursive: true, force: true })
console.table(rows)
if (rows.some(({ result }) => result === 'failed')) process.exitCode = 1
