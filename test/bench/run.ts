/**
 * Runs the benchmarks and compares them with the budgets of the design:
 * `npm run bench [-- --units 4000,20000,200000] [--only keywords,resident] [--out file.json]`.
 * Figures are medians and quantiles of this machine. Compare ratios, or runs on the same machine.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureBundle, measureStart } from './app.ts'
import type { Figure } from './figures.ts'
import { measureHistory } from './history.ts'
import { measureMemory } from './memory.ts'
import { measureRecall } from './recall.ts'

const memoryParts = ['keywords', 'builtin', 'vectors', 'resident']
const root = mkdtempSync(join(tmpdir(), 'commonplace-bench-'))
const others: Readonly<Record<string, () => Promise<Figure[]> | Figure[]>> = {
  start: () => measureStart(root),
  history: () => measureHistory(root),
  bundle: measureBundle,
  recall: measureRecall,
}
const { values: flags } = parseArgs({
  options: {
    units: { type: 'string', default: '4000,20000' },
    only: { type: 'string', default: [...memoryParts, ...Object.keys(others)].join(',') },
    out: { type: 'string' },
  },
})
const parts = new Set(flags.only.split(','))
const figures: Figure[] = []

try {
  if (memoryParts.some((part) => parts.has(part)))
    for (const size of flags.units.split(',').map(Number)) note(await measureMemory(root, size, parts))
  for (const [name, measure] of Object.entries(others)) if (parts.has(name)) note(await measure())
} finally {
  rmSync(root, { recursive: true, force: true })
}
if (flags.out) writeFileSync(flags.out, `${JSON.stringify(figures, null, 2)}\n`)
const over = figures.filter(({ value, budget }) => budget !== undefined && value > budget)
process.stdout.write(
  over.length === 0
    ? 'all within budget\n'
    : `${over.length} over budget: ${over.map(({ name }) => name).join(', ')}\n`,
)

function note(found: readonly Figure[]): void {
  for (const figure of found) {
    figures.push(figure)
    const { name, value, unit, budget } = figure
    const verdict =
      budget === undefined ? '' : value <= budget ? `  within ${budget}` : `  OVER the budget of ${budget}`
    process.stdout.write(`${name.padEnd(60)} ${value.toFixed(2).padStart(9)} ${unit}${verdict}\n`)
  }
}
