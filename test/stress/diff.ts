/**
 * Measures text comparison, and whether it blocks the main thread: `node test/stress/diff.ts`. Compares the Markdown of
 * the installed packages and worst cases.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { describeChange } from '../../src/main/platform/diff/patch.ts'
import { Workspace } from '../../src/main/workspace/files/workspace.ts'

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url))

function realLines(count: number, offset: number): string[] {
  const lines: string[] = []
  for (const path of globSync('*/*.md', { cwd: modules }).sort().slice(offset)) {
    lines.push(...readFileSync(join(modules, path), 'utf8').split('\n'))
    if (lines.length >= count) break
  }
  return lines.slice(0, count)
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}

/** Returns a seeded generator of integers below `most`. */
function numbers(): (most: number) => number {
  let state = 1
  return (most) => {
    state = (state * 48_271) % 2_147_483_647
    return state % most
  }
}

const next = numbers()
const real = realLines(20_000, 0)
const few = Array.from({ length: 20_000 }, () => `line ${next(3)}`)
const cases: readonly (readonly [name: string, before: string, after: string, budget?: number])[] = [
  [
    '20,000 lines that share nothing',
    text(real.map((line, at) => `${at} ${line}`)),
    text(real.map((line, at) => `${line} ${at}`)),
    200,
  ],
  ['20,000 lines of two real texts', text(real), text(realLines(20_000, 120)), 200],
  ['20,000 lines, every tenth changed', text(real), text(real.map((line, at) => (at % 10 === 0 ? `${line}!` : line)))],
  ['20,000 lines in another order', text(real), text([...real].sort())],
  ['20,000 lines of three kinds, twice at random', text(few), text(few.map(() => `line ${next(3)}`))],
  ['16,000 characters in place, the worst', text(few.slice(0, 1100)), text(few.slice(1100, 2200))],
]

const root = mkdtempSync(join(tmpdir(), 'commonplace-diff-'))
let isOver = false
try {
  mkdirSync(join(root, 'w'))
  const roots = { workspace: join(root, 'w'), forbidden: [] }
  const workspace = new Workspace(roots)
  describeChange('warm.md', real.join('\n'), '')
  for (const [name, before, after, budget] of cases) {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const start = performance.now()
    const { added, removed } = describeChange('a.md', before, after)
    const ms = performance.now() - start
    delay.disable()
    isOver ||= budget !== undefined && ms > budget
    process.stdout.write(
      `${name.padEnd(48)} ${ms.toFixed(0).padStart(6)} ms, main thread blocked ${(delay.max / 1e6).toFixed(0)} ms at most, +${added} -${removed}\n`,
    )
  }
  const [before, after] = [text(real.slice(0, 10_000)), text(real.slice(0, 10_000).map((line, at) => `${line}.${at}`))]
  const { hash } = await workspace.write('a.md', before, { cause: 'user' })
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const start = performance.now()
  await workspace.save('a.md', after, { hash, baseText: before })
  process.stdout.write(
    `saving 10,000 changed lines ${(performance.now() - start).toFixed(0)} ms, main thread blocked ${(delay.max / 1e6).toFixed(0)} ms at most\n`,
  )
} finally {
  rmSync(root, { recursive: true, force: true })
}
process.exitCode = isOver ? 1 : 0
