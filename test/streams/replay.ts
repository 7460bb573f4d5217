/**
 * Replays recorded provider answers through the app's model layer:
 *
 *   node test/streams/replay.ts FOLDER [--table FILE] [--plain] [--write] [--only BEGINNING] [--skip-choppings] [--skip-cuts] [--skip-turns]
 *
 * Each recording is replayed in eight choppings and compared with the table, cut at every place, and, if it calls tools,
 * used in whole turns whose next requests are checked by the rules of the provider. `--write` creates a table from a
 * plain reading of the events, to be checked by hand; a `--plain` table has texts instead of hashes.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { readFacts, readTable, toRow } from './facts.ts'
import { startLoopback } from './loopback.ts'
import { readRecordings } from './recording.ts'
import { compare, cutsOf, checkCutStream } from './streams.ts'
import { openTurnApp, takeTurns } from './turns.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    table: { type: 'string' },
    plain: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    'skip-cuts': { type: 'boolean', default: false },
    'skip-turns': { type: 'boolean', default: false },
    'skip-choppings': { type: 'boolean', default: false },
  },
})
const [folder] = positionals
if (folder === undefined) throw new Error('pass the folder of recordings')
const recordings = (await readRecordings(folder)).filter(({ name }) => name.startsWith(values.only ?? ''))
const say = (line: string) => process.stdout.write(`${line}\n`)

if (values.write && values.table !== undefined) {
  const rows = recordings.map((one) => [one.name, toRow(one.wire, readFacts(one))])
  await writeFile(values.table, `${JSON.stringify(Object.fromEntries(rows), null, 1)}\n`)
  say(`${rows.length} rows written`)
} else {
  const table = values.table === undefined ? undefined : readTable(await readFile(values.table, 'utf8'), values.plain)
  const loopback = await startLoopback()
  const problems: string[] = []
  let compared = 0
  let cuts = 0
  for (const recording of recordings) {
    const row = table?.get(recording.name)
    if (row && !values['skip-choppings']) {
      problems.push(...(await compare(recording, row, loopback)))
      compared += 1
    }
    if (values['skip-cuts']) continue
    for (const cut of cutsOf(recording)) {
      problems.push(...(await checkCutStream(recording, cut, loopback)))
      cuts += 1
    }
  }
  let turns = 0
  let withTools = 0
  if (!values['skip-turns']) {
    const app = await openTurnApp()
    for (const recording of recordings) {
      // Failed answers are not replayed as turns.
      const row = table?.get(recording.name) ?? toRow(recording.wire, readFacts(recording))
      if (row.finish.startsWith('provider_')) continue
      problems.push(...(await takeTurns(recording, row.calls.length, app)))
      turns += 2
      if (row.calls.length > 0) withTools += 2
    }
    await app.close()
  }
  for (const problem of problems) say(problem)
  say(
    `${recordings.length} recordings, ${compared} held against the table in eight choppings, ${cuts} cuts, ${turns} whole turns (${withTools} with tools): ${problems.length} wrong`,
  )
  await loopback.close()
  process.exitCode = problems.length > 0 ? 1 : 0
}
