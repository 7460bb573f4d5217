/**
 * Changes notes in random ways without pause. Prints each step with the texts that it will write, and again when it is
 * done. Tests kill this process.
 */
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { mainFolder } from './built.ts'
import { randomOf } from './random.ts'

const [home = '', seed = '0'] = process.argv.slice(2)
const app = await createApp({ mainFolder, env: {}, home })
const { workspace } = await app.agents.get('main')
const random = randomOf(Number(seed) + 1)
const pick = (count: number) => Math.floor(random() * count)
const notes = Array.from({ length: 6 }, (_, number) => `memory/note-${number}.md`)
const texts = new Map<string, string | null>()
for (const path of notes) texts.set(path, (await workspace.exists(path)) ? (await workspace.read(path)).text : null)

type Files = Record<string, string | null>
interface Step {
  readonly step: string
  readonly files: Files
  readonly cause: string
  readonly run: () => Promise<number | undefined>
}

const existing = () => notes.filter((path) => (texts.get(path) ?? null) !== null)
const newText = () => `${'a line of text\n'.repeat(1 + pick(60))}the end of ${process.pid}-${Date.now()}-${pick(1e6)}\n`
let last: { readonly change: number; readonly before: Files } | undefined

function write(cause: 'user' | 'agent'): Step {
  const path = notes[pick(notes.length)] ?? ''
  const text = newText()
  const run = async () => (await workspace.write(path, text, { cause })).change
  return { step: 'write', files: { [path]: text }, cause, run }
}

function replaceInAll(): Step {
  const word = `word${pick(1e6)}`
  const writes = existing().map((path) => {
    const before = texts.get(path) ?? ''
    return { path, newPath: path, before, after: `${word}\n${before}` }
  })
  const batch = { replacement: { text: 'x', replacement: word, count: writes.length } }
  const run = async () => (await workspace.runTransaction(batch, writes, { cause: 'user' })).change
  return {
    step: 'replace',
    files: Object.fromEntries(writes.map(({ path, after }) => [path, after])),
    cause: 'user',
    run,
  }
}

function remove(): Step {
  const path = existing()[0] ?? ''
  const run = async () => (await workspace.remove(path, { cause: 'user' })).write.change
  return { step: 'remove', files: { [path]: null }, cause: 'user', run }
}

function undo({ change, before }: NonNullable<typeof last>): Step {
  const run = async () => (await workspace.revert({ change }, { cause: 'client', client: 'undoer' })).change
  return { step: 'undo', files: before, cause: 'client', run }
}

function nextStep(): Step {
  const kind = random()
  if (last && kind < 0.2) return undo(last)
  if (kind < 0.45 && existing().length > 1) return replaceInAll()
  if (kind < 0.55 && existing().length > 2) return remove()
  return write(kind < 0.8 ? 'user' : 'agent')
}

process.stdout.write('ready\n')
for (;;) {
  const { step, files, cause, run } = nextStep()
  process.stdout.write(`start ${JSON.stringify({ step, files, cause, change: null })}\n`)
  const before = Object.fromEntries(Object.keys(files).map((path) => [path, texts.get(path) ?? null]))
  const change = await run()
  for (const [path, text] of Object.entries(files)) texts.set(path, text)
  last = change === undefined || step === 'undo' ? undefined : { change, before }
  process.stdout.write(`${JSON.stringify({ step, files, cause, change: change ?? null })}\n`)
}
