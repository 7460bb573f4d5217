/**
 * MCP clients remember notes concurrently while the app is open and a window edits:
 * `node test/stress/mcp-storm.ts [--programs 8] [--notes 250]`.
 * Half of them use stdio, half HTTP. Prints one line of figures; exits with 1 if a note is lost, duplicated, or missing
 * from the history.
 */
import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { storm } from '../support/mcp-storm.ts'

const { values } = parseArgs({
  options: { programs: { type: 'string', default: '8' }, notes: { type: 'string', default: '250' } },
})
const started = performance.now()
const { folder, ...figures } = await storm(Number(values.programs), Number(values.notes))
const seconds = ((performance.now() - started) / 1000).toFixed(1)
console.log(`${JSON.stringify(figures)} in ${seconds} s`)
await rm(folder, { recursive: true, force: true })
if (figures.lost + figures.doubled + figures.failed + figures.missingInHistory > 0) process.exitCode = 1
