/** Benchmarks of the history: saving, size, queries, changes of many notes, and the time until a note is found. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { ChangeLog } from '../../src/main/workspace/changes/change-log.ts'
import { History } from '../../src/main/workspace/changes/history.ts'
import { Workspace } from '../../src/main/workspace/files/workspace.ts'
import { randomOf } from '../support/random.ts'
import { median, quantile, type Figure } from './figures.ts'
import { realParagraphs } from './real-text.ts'

const mainFolder = new URL('../../src/main/', import.meta.url)
const rounds = 5
const writes = 500
const notes = 1000
const edits = 2000
const versions = 1000
const replaced = 3000
const kilobyte = 1024

export async function measureHistory(root: string): Promise<Figure[]> {
  return [
    ...(await measureWrites(root)),
    ...(await measureSize(root)),
    ...(await measureReplacement(root)),
    { name: 'captured note → found by search, median', value: median(await captures(root)), unit: 'ms', budget: 2000 },
  ]
}

/** Alternates saves with and without a log, so that other work on the machine affects both equally. */
async function measureWrites(root: string): Promise<Figure[]> {
  const plain: number[] = []
  const recorded: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const folders = [0, 1].map((side) => join(root, `writes-${round}-${side}`))
    for (const folder of folders) mkdirSync(folder)
    const [one = '', other = ''] = folders
    const log = new ChangeLog(join(root, `writes-${round}.sqlite`), other)
    const sides = [
      { times: plain, workspace: new Workspace({ workspace: one, forbidden: [] }) },
      { times: recorded, workspace: new Workspace({ workspace: other, forbidden: [] }, { log }) },
    ]
    for (let number = 0; number < writes; number += 1)
      for (const { times, workspace } of sides) {
        const text = `# Note ${number % 50}\n\n${'A line of what is known.\n'.repeat(80)}${number}\n`
        times.push(await timeOf(() => workspace.write(`memory/${number % 50}.md`, text, { cause: 'user' })))
      }
    log.close()
  }
  return [
    { name: 'save without history, median', value: median(plain), unit: 'ms' },
    { name: 'save, recorded, median', value: median(recorded), unit: 'ms' },
    { name: 'save without history, p95', value: quantile(plain, 0.95), unit: 'ms' },
    { name: 'save, recorded, p95', value: quantile(recorded, 0.95), unit: 'ms' },
  ]
}

/** 2,000 one-line edits spread over 1,000 notes of 2–20 kB of real text. */
async function measureSize(root: string): Promise<Figure[]> {
  const folder = join(root, 'size')
  mkdirSync(folder)
  const random = randomOf(7)
  const paragraphs = realParagraphs()
  let deflated = 0
  const lines = Array.from({ length: notes }, (_, note) => {
    const text = [`# Note ${note}`]
    const length = 2000 + random() * 18_000
    while (text.join('\n').length < length) text.push(paragraphs[Math.floor(random() * paragraphs.length)] ?? '')
    writeFileSync(join(folder, `${note}.md`), `${text.join('\n')}\n`)
    deflated += deflateRawSync(`${text.join('\n')}\n`).length
    return text
  })
  const file = join(root, 'size.sqlite')
  const open = () => openHistory(file, folder)
  const first = open()
  await first.history.flush()
  await first.history.close()
  const adopted = statSync(file).size
  const { history, workspace } = open()
  let wal = 0
  for (let edit = 0; edit < edits; edit += 1) {
    const note = edit % notes
    const text = lines[note] ?? []
    text[1 + Math.floor(random() * (text.length - 1))] = `An edited line ${edit} about ${random()}`
    await workspace.write(`${note}.md`, `${text.join('\n')}\n`, { cause: 'user' })
    wal = Math.max(wal, statSync(`${file}-wal`).size)
  }
  await history.close()
  const bytes = (statSync(file).size - adopted) / edits
  const long = open()
  const body = Array.from({ length: 100 }, (_, line) => `line ${line}`)
  for (let version = 0; version < versions; version += 1) {
    body[version % 100] = `version ${version}`
    await long.workspace.write('long.md', body.join('\n'), { cause: 'user' })
  }
  const ofNote = await medianOf(() => long.history.timeline({ path: 'long.md', limit: 100 }))
  const ofWorkspace = await medianOf(() => long.history.timeline({ limit: 100, groupAdopted: true }))
  const blame = await medianOf(() => long.history.blame('long.md'))
  await long.history.close()
  return [
    {
      name: `first versions of ${notes} notes / their deflated texts`,
      value: adopted / deflated,
      unit: '×',
      budget: 1.25,
    },
    { name: 'growth for a one-line edit', value: bytes / kilobyte, unit: 'kB', budget: 0.7 },
    { name: 'largest WAL', value: wal / kilobyte / kilobyte, unit: 'MB', budget: 4 },
    { name: `timeline of a note with ${versions} versions, first page`, value: ofNote, unit: 'ms', budget: 20 },
    { name: 'timeline of the workspace, first page', value: ofWorkspace, unit: 'ms', budget: 30 },
    { name: `blame of a note with ${versions} versions`, value: blame, unit: 'ms' },
  ]
}

async function measureReplacement(root: string): Promise<Figure[]> {
  const folder = join(root, 'replacement')
  mkdirSync(folder)
  const paragraphs = realParagraphs()
  const texts = Array.from(
    { length: replaced },
    (_, note) => `# cat ${note}\n\n${paragraphs[note % paragraphs.length] ?? ''}\n`,
  )
  for (const [note, text] of texts.entries()) writeFileSync(join(folder, `${note}.md`), text)
  const { history, workspace } = openHistory(join(root, 'replacement.sqlite'), folder)
  await history.flush()
  const rest = process.memoryUsage().rss
  let peak = rest
  const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20)
  const changes = texts.map((before, note) => {
    const path = `${note}.md`
    return { path, newPath: path, before, after: before.replace('cat', 'dog') }
  })
  const replacement = { text: 'cat', replacement: 'dog', count: replaced }
  let change: number | undefined
  const replace = await timeOf(async () => {
    change = (await workspace.runTransaction({ replacement }, changes, { cause: 'user' })).change
  })
  const undo = await timeOf(() => workspace.revert({ change: change ?? 0 }, { cause: 'user' }))
  clearInterval(sampling)
  if (readFileSync(join(folder, '7.md'), 'utf8') !== texts[7]) throw new Error('the undo did not restore the text')
  await history.close()
  return [
    { name: `replace in ${replaced} notes`, value: replace / 1000, unit: 's', budget: 10 },
    { name: 'its undo', value: undo / 1000, unit: 's', budget: 10 },
    { name: 'memory above rest', value: (peak - rest) / kilobyte / kilobyte, unit: 'MB', budget: 150 },
  ]
}

function openHistory(file: string, folder: string) {
  const roots = { workspace: folder, forbidden: [] }
  const history = new History({
    entry: new URL('workspace/changes/changes.worker.ts', mainFolder),
    file,
    roots,
    settings: () => ({ enabled: true }),
    isLongRunning: true,
    now: () => new Date(),
    onFault(error) {
      throw error
    },
  })
  return { history, workspace: new Workspace(roots, { log: history.log }) }
}

async function captures(root: string): Promise<number[]> {
  const workspace = join(root, 'captures')
  mkdirSync(workspace)
  const app = await createApp({ home: join(root, 'capture-home'), workspace, mainFolder, env: {} })
  const agent = await app.agents.get('main')
  const times: number[] = []
  for (const word of ['albatross', 'barnacle', 'cormorant', 'dunlin', 'eider', 'fulmar', 'gannet']) {
    times.push(
      await timeOf(async () => {
        await agent.workspace.remember(`the ${word} nests on the cliff`, new Date(), { cause: 'capture' })
        const isFound = async () => (await agent.memory.search(word)).results.length > 0
        while (!(await isFound()));
      }),
    )
  }
  await app.close()
  return times
}

async function medianOf(work: () => unknown): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 9; round += 1) times.push(await timeOf(async () => work()))
  return median(times)
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
