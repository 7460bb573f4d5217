/**
 * Finds and replaces in all notes of a copy of a real vault, as the window does. Measures the time to the first match
 * and to all matches, compares the number of replacements with a separate count, and checks that one undo restores
 * every byte.
 *
 *   node test/vaults/find.ts [--text the] FOLDER…
 */
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder } from '../support/built.ts'
import { connect } from '../support/client.ts'

const { values, positionals } = parseArgs({
  options: { text: { type: 'string', default: 'the' }, by: { type: 'string', default: 'THE·ONE' } },
  allowPositionals: true,
})
const main = { agent: 'main' }

/** Returns for every note, by path, a hash of its bytes and the number of matches, ignoring case. */
async function notesOf(folder: string): Promise<Map<string, { hash: string; count: number }>> {
  const notes = new Map<string, { hash: string; count: number }>()
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/\.(?:md|markdown)$/i.test(name) || name.split('/').some((step) => step.startsWith('.'))) continue
    const bytes = await readFile(join(folder, name)).catch(() => undefined)
    if (!bytes) continue
    const count = bytes.toString('utf8').toLowerCase().split(values.text.toLowerCase()).length - 1
    notes.set(name, { hash: createHash('sha256').update(bytes).digest('hex'), count })
  }
  return notes
}

async function measure(folder: string): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'find-'))
  const [vault, home] = [join(root, 'vault'), join(root, 'state')]
  await cp(folder, vault, { recursive: true, filter: (path) => basename(path) !== '.git' })
  await mkdir(home)
  const config = `agents:\n  defaults: { memory: { embedding: { provider: none } } }\n  list: [{ id: main, workspace: "${vault}" }]\n`
  await writeFile(join(home, 'config.yaml'), config)
  const before = await notesOf(vault)
  const server = await startServer({ mainFolder, env: {}, home })
  try {
    const client = await connect(server.url)
    while ((await client.search.status(main)).state !== 'ready')
      await new Promise((resolve) => setTimeout(resolve, 100))
    const began = performance.now()
    let [firstMs, count, files, unread, steps] = [0, 0, 0, 0, 0]
    let search = ''
    for await (const step of await client.find.run({ ...main, text: values.text })) {
      if (step.type === 'done') {
        search = step.search
        continue
      }
      steps += 1
      if (step.found.length > 0 && firstMs === 0) firstMs = performance.now() - began
      count += step.found.reduce((sum, file) => sum + file.count, 0)
      files += step.found.length
      unread += step.unread.length
    }
    const findMs = performance.now() - began
    const replacing = performance.now()
    let progress = 0
    let replaced = { count: 0, files: 0, left: 0, change: 0 }
    for await (const step of await client.find.replace({ ...main, search, replacement: values.by })) {
      if (step.type === 'progress') progress += 1
      else replaced = { count: step.count, files: step.files, left: step.left.length, change: step.change ?? 0 }
    }
    const replaceMs = performance.now() - replacing
    const between = await notesOf(vault)
    const remaining = [...between.values()].reduce((sum, note) => sum + note.count, 0)
    const undoing = performance.now()
    await client.history.revert({ ...main, change: replaced.change })
    const undoMs = performance.now() - undoing
    const after = await notesOf(vault)
    const other = [...before].filter(([path, { hash }]) => after.get(path)?.hash !== hash).length
    const counted = [...before.values()].reduce((sum, note) => sum + note.count, 0)
    const rounded = Object.fromEntries(
      Object.entries({ firstMs, findMs, replaceMs, undoMs }).map(([name, ms]) => [name, Math.round(ms)]),
    )
    const figures = { notes: before.size, counted, count, files, unread, steps, replaced, progress, remaining }
    process.stdout.write(`${basename(folder)}: ${JSON.stringify({ ...figures, ...rounded, otherAfterUndo: other })}\n`)
  } finally {
    await server.close()
    await rm(root, { recursive: true, force: true })
  }
}

for (const folder of positionals) await measure(folder)
