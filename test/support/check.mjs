/** Runs all checks that need no running app: types, lint, dependency rules, format, unused code, lockfile, workflows. */
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'

const checks = {
  types: ['tsc', '--noEmit'],
  lint: ['oxlint', '--deny-warnings', '--report-unused-disable-directives'],
  format: ['oxfmt', '--check'],
  licences: ['node', 'resources/packaging/licences.ts', '--check'],
  reference: ['node', 'test/support/config-reference.ts', '--check'],
  lockfile: ['node', 'test/support/lockfile.mjs', '--check'],
  'dead code': ['knip', '--no-progress', '--treat-config-hints-as-errors'],
}
/** A program that npm does not have: `go install github.com/rhysd/actionlint/cmd/actionlint@latest`. */
const actionlint = 'actionlint'
if (spawnSync(actionlint, ['--version']).status === 0) checks.workflows = [actionlint]
else process.stdout.write(`skip  workflows (${actionlint} is not installed)\n`)

const results = await Promise.all(Object.entries(checks).map(([name, command]) => run(name, command)))
for (const { name, ok, output } of results) {
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'}  ${name}\n`)
  if (!ok) process.stdout.write(`${output.trim()}\n\n`)
}
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1

function run(name, [command, ...args]) {
  return new Promise((resolve) => {
    const program = command === actionlint ? command : join('node_modules', '.bin', command)
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    child.on('error', (error) => resolve({ name, ok: false, output: error.message }))
    child.on('exit', (code) => resolve({ name, ok: code === 0, output }))
  })
}
