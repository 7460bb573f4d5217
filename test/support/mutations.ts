/**
 * Do the tests notice what they are there for? Each break of `mutation-table.ts` is made in a copy of the checkout, and
 * the tests that ought to notice it are run.
 *
 *     node test/support/mutations.ts [--only N,…]
 *
 * The copy is a worktree in the system's temporary folder, of what is committed and what is changed (new files that Git
 * does not know are left out). A break whose text is no longer there is told before anything is run, and so is a test
 * that fails without any break. Ends with 1 when more than a fifteenth of the breaks survive.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from './build.ts'
import type { Mutation } from './mutation.ts'
import { mutations } from './mutation-table.ts'

/** At least 28 of 30. */
const minShare = 28 / 30
const checkout = fileURLToPath(new URL('../../', import.meta.url))
const say = (line: string) => void process.stdout.write(`${line}\n`)

interface Result {
  readonly total: number
  readonly failed: readonly string[]
  /** Files that could not even be loaded: the break is no fair one. */
  readonly unloadable: readonly string[]
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[]
  }[]
}

function runTests(tree: string, tests: readonly Pick<Mutation, 'project' | 'test' | 'only'>[], bail: boolean): Result {
  const report = join(tree, 'mutation-report.json')
  rmSync(report, { force: true })
  const names = tests.map(({ only }) => only)
  const pattern = names.every((name) => name !== undefined) ? ['-t', names.map(escape).join('|')] : []
  const projects = [...new Set(tests.map(({ project }) => project))].flatMap((project) => ['--project', project])
  const files = [...new Set(tests.map(({ project, test }) => `test/${project}/${test}.test.ts`))]
  const reporting = ['--reporter=json', `--outputFile=${report}`, ...(bail ? ['--bail=1'] : [])]
  spawnSync(
    process.execPath,
    [join(tree, 'node_modules/vitest/vitest.mjs'), 'run', ...projects, ...reporting, ...pattern, ...files],
    { cwd: tree, env: { ...process.env, CI: '' }, stdio: 'ignore', timeout: 10 * 60_000 },
  )
  if (!existsSync(report)) return { total: 0, failed: [], unloadable: ['(no report)'] }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const ran = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'passed' || status === 'failed'),
  )
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  return {
    total: ran.length,
    failed: ran.filter(({ status }) => status === 'failed').map(({ title }) => title),
    unloadable: brokenFiles.map(({ name }) => name.slice(tree.length + 1)),
  }
}

function escape(text = ''): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** @returns what is wrong with the table as the source is now */
function staleOf(all: readonly Mutation[]): string[] {
  return all.flatMap(({ file, text, project, test }, index) => {
    const path = join(checkout, 'src', file)
    const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const times = source.split(text).length - 1
    const place = `${index + 1}. src/${file}`
    if (!existsSync(join(checkout, `test/${project}/${test}.test.ts`))) return [`${place}: there is no test ${test}`]
    return times === 1 ? [] : [`${place}: "${text}" stands there ${times} times`]
  })
}

function makeTree(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, encoding: 'utf8' }).trim()
  const tree = join(mkdtempSync(join(tmpdir(), 'commonplace-mutations-')), 'tree')
  git('worktree', 'add', '--quiet', '--detach', tree, git('stash', 'create') || 'HEAD')
  for (const name of ['node_modules', 'out']) symlinkSync(join(checkout, name), join(tree, name))
  return tree
}

function removeTree(tree: string): void {
  // The links go first, so that nothing behind them is looked at.
  for (const name of ['node_modules', 'out']) rmSync(join(tree, name), { force: true })
  execFileSync('git', ['worktree', 'remove', '--force', tree], { cwd: checkout })
  rmSync(join(tree, '..'), { recursive: true, force: true })
}

function tryOut(tree: string, { file, text, instead, ...tests }: Mutation): Result {
  const path = join(tree, 'src', file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    source.replace(text, () => instead),
  )
  try {
    return runTests(tree, [tests], true)
  } finally {
    writeFileSync(path, source)
  }
}

function verdictOn({ total, failed, unloadable }: Result): 'caught' | 'survived' | 'no tests' | 'unloadable' {
  if (failed.length > 0) return 'caught'
  if (unloadable.length > 0) return 'unloadable'
  return total === 0 ? 'no tests' : 'survived'
}

function main(): number {
  const { values } = parseArgs({ options: { only: { type: 'string' } } })
  const stale = staleOf(mutations)
  if (stale.length > 0) {
    say(`mutation-table.ts does not fit the source any more:\n${stale.join('\n')}`)
    return 1
  }
  const numbers = values.only?.split(',').map(Number)
  const chosen = mutations.flatMap((mutation, index) =>
    numbers === undefined || numbers.includes(index + 1) ? [{ mutation, number: index + 1 }] : [],
  )
  if (chosen.length === 0) {
    say(`there is no break ${values.only}; there are 1 to ${mutations.length}`)
    return 1
  }
  build()
  const tree = makeTree()
  try {
    for (const project of ['unit', 'integration'] as const) {
      const tests = chosen.map(({ mutation }) => mutation).filter((mutation) => mutation.project === project)
      if (tests.length === 0) continue
      const { total, failed, unloadable } = runTests(tree, tests, false)
      const wrong = [...failed, ...unloadable]
      if (wrong.length > 0 || total === 0) {
        say(`without any break ${total} ${project} tests were run, and these fail:\n${wrong.join('\n')}`)
        return 1
      }
    }
    let caught = 0
    for (const { mutation, number } of chosen) {
      const result = tryOut(tree, mutation)
      const verdict = verdictOn(result)
      if (verdict === 'caught') caught += 1
      const by = result.failed[0] ?? `${mutation.project}/${mutation.test}`
      say(`${verdict.padEnd(10)} ${number}. ${mutation.file}: ${mutation.why} ← ${by}`)
    }
    say(`${caught} of ${chosen.length} breaks were noticed`)
    return caught >= chosen.length * minShare ? 0 : 1
  } finally {
    removeTree(tree)
  }
}

process.exitCode = main()
