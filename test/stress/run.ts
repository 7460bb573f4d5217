/** Runs the random and crash tests with many cases: `npm run test:stress`. Takes some 20 minutes on two cores. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const randomTests = [
  'test/integration/agent/privacy-over-time',
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

const child = spawn(process.execPath, ['test/support/run.mjs', ...randomTests], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  stdio: 'inherit',
  env: { ...process.env, THOROUGH: '1' },
})
child.on('exit', (code) => (process.exitCode = code ?? 1))
