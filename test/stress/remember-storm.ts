/**
 * Many processes remember notes concurrently:
 * `node test/stress/remember-storm.ts [--processes 8] [--notes 50] [--commands 24]`.
 * First the given processes with `--notes` notes each, then `--commands` commands, eight at a time. Prints one line of
 * figures each; exits with 1 if an acknowledged note is lost or missing from the history.
 */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { countLosses, makeMemory, runProcess, type Memory } from './processes.ts'

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '8' },
    notes: { type: 'string', default: '50' },
    commands: { type: 'string', default: '24' },
  },
})
const writer = fileURLToPath(new URL('../support/note-writer.ts', import.meta.url))
const terminal = fileURLToPath(new URL('../../src/main/app/cli/cli.ts', import.meta.url))
const atOnce = 8

await report('processes', async ({ home }) => {
  const names = Array.from({ length: Number(values.processes) }, (_, index) => `p${index}`)
  const ran = await Promise.all(names.map((name) => runProcess(writer, [home, name, values.notes])))
  return ran.flatMap(({ output }) => output.split('\n').filter(Boolean))
})

await report('commands', async ({ home }) => {
  const notes = Array.from({ length: Number(values.commands) }, (_, index) => `note-command-${index}`)
  const acknowledged: string[] = []
  for (let from = 0; from < notes.length; from += atOnce) {
    const some = notes.slice(from, from + atOnce)
    const ran = await Promise.all(some.map((note) => runProcess(terminal, ['remember', note, '--home', home])))
    acknowledged.push(...some.filter((_, index) => ran[index]?.code === 0))
  }
  return acknowledged
})

/** @param storm resolves with the acknowledged notes */
async function report(name: string, storm: (memory: Memory) => Promise<string[]>): Promise<void> {
  const memory = makeMemory()
  const started = performance.now()
  const notes = await storm(memory)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const { lost, missingInHistory, isLogSound } = await countLosses(memory, notes)
  console.log(
    `${name}: ${notes.length} acknowledged in ${seconds} s, ${lost} lost, ${missingInHistory} missing from the history, change log ${isLogSound ? 'sound' : 'damaged'}`,
  )
  if (lost + missingInHistory > 0 || !isLogSound) process.exitCode = 1
  rmSync(memory.root, { recursive: true, force: true })
}
