/**
 * Benchmarks with years of data: 10,000 notes, 1,000 chats, and a conversation of 1,000 requests. An interaction lasts
 * from a click or key press to the frame that shows its first effect (Event Timing).
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { chromiumFlags, findChromium } from '../support/chromium.ts'
import { connect } from '../support/client.ts'
import { quantile, type Figure } from './figures.ts'

const notes = 10_000
const chats = 1000
const requests = 1000
const rounds = 3

export async function measureDaily(root: string): Promise<Figure[]> {
  const home = join(root, 'daily')
  const workspace = join(root, 'daily-workspace')
  writeNotes(workspace)
  mkdirSync(home, { recursive: true })
  writeFileSync(
    join(home, 'config.yaml'),
    `agents:\n  defaults: { chat: { titles: false }, memory: { embedding: { provider: none } } }\n  list: [{ id: main, workspace: "${workspace}" }]\n`,
  )
  const mainFolder = new URL('../../out/main/', import.meta.url)
  const server = await startServer({ mainFolder, env: {}, home })
  const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
  try {
    const client = await connect(server.url)
    await client.search.reindex({ agent: 'main' })
    const { session } = await client.chat.send({ agent: 'main', text: 'Which number opens door 77?' })
    for await (const event of await client.chat.watch({ agent: 'main', session }))
      if (event.type === 'turnEnd' || (event.type === 'partial' && !event.running)) break
    writeChats(join(home, 'agents/main/sessions'))
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.addInitScript(countInteractions)
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    return [...(await measureTimeline(page, server.url)), ...(await measureInteractions(page, server.url))]
  } finally {
    await browser.close()
    await server.close()
  }
}

async function measureTimeline(page: Page, url: string): Promise<Figure[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await page.goto(new URL('/chat/long', url).href)
    await page.getByTestId('answer').last().waitFor()
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
    // Lets the browser finish the layout of the opened chat. Otherwise it would count for the next click.
    await sleep(500)
    const from = Date.now()
    await page
      .getByRole('link', { name: /^Context/ })
      .first()
      .click()
    await page.getByRole('region', { name: 'Timeline' }).getByText('1,000 requests').waitFor()
    times.push(Date.now() - from)
  }
  return [
    {
      name: `timeline of ${requests} requests: click to shown, median`,
      value: quantile(times, 0.5),
      unit: 'ms',
      budget: 300,
    },
  ]
}

/** Measures frequent interactions. */
async function measureInteractions(page: Page, url: string): Promise<Figure[]> {
  const found = new Map<string, number[]>()
  const during = async (name: string, work: () => Promise<unknown>) => {
    await page.evaluate(() => void (window as unknown as Counting).interactions.clear())
    await work()
    await sleep(400)
    const took = await page.evaluate(() => [...(window as unknown as Counting).interactions.values()])
    found.set(name, [...(found.get(name) ?? []), ...took])
  }
  for (let round = 0; round < rounds; round += 1) {
    await page.goto(url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await sleep(1500)
    await during('typing a message', () => page.keyboard.type('What do I know of door 4411?', { delay: 40 }))
    await during('opening the palette', () => page.keyboard.press('Control+k'))
    await during('typing in the palette', () => page.keyboard.type('note 77 door', { delay: 60 }))
    await during('walking the palette', () => pressAll(page, 'ArrowDown', 8))
    await during('closing the palette', () => page.keyboard.press('Escape'))
    await during('going to a file', async () => {
      await page.keyboard.press('Control+p')
      await page.keyboard.type('n042', { delay: 60 })
      await page.keyboard.press('Enter')
      await page.locator('.monaco-editor .view-lines').waitFor()
    })
    await during('typing in a file', async () => {
      await page.locator('.monaco-editor .view-lines').click()
      await page.keyboard.type('a line of words ', { delay: 40 })
    })
    await during('opening search', () => page.keyboard.press('Control+Shift+f'))
    await during('typing a search', () => page.keyboard.type('door seventy', { delay: 60 }))
    await during('opening an account', async () => {
      await page.getByTestId('candidate').first().getByRole('button').first().click()
      await page.getByTestId('candidate-details').waitFor()
    })
    await during('looking for a chat', async () => {
      await page.getByRole('searchbox', { name: 'Search chats' }).click()
      await page.keyboard.type('door 9', { delay: 80 })
    })
    await during('opening settings', () => page.keyboard.press('Control+,'))
    await during('finding a setting', async () => {
      await page.getByRole('searchbox', { name: 'Search settings' }).click()
      await page.keyboard.type('least', { delay: 60 })
    })
    await during('opening changes', () => page.getByRole('link', { name: 'Changes' }).click())
    await during('another month of the calendar', async () => {
      const month = page.getByRole('combobox', { name: 'Month' })
      await month.focus()
      await pressAll(page, 'ArrowUp', 3)
    })
  }
  const all = [...found.values()].flat()
  const byWorst = [...found].map(([name, took]) => ({ name, value: quantile(took, 0.95), count: took.length }))
  return [
    {
      name: `${notes} notes, ${chats} chats: ${all.length} interactions, p95`,
      value: quantile(all, 0.95),
      unit: 'ms',
      budget: 100,
    },
    ...byWorst
      .toSorted((one, other) => other.value - one.value)
      .map(({ name, value, count }) => ({ name: `  ${name} (${count}), p95`, value, unit: 'ms' })),
  ]
}

interface Counting {
  /** Longest event of each interaction, ms. */
  interactions: Map<number, number>
}

/** Runs in the page. Browsers report events of 16 ms and more, in steps of 8 ms. */
function countInteractions(): void {
  const counting = window as unknown as Counting
  counting.interactions = new Map()
  const note = (entries: PerformanceEntryList) => {
    for (const entry of entries) {
      const { interactionId, duration } = entry as PerformanceEntry & { interactionId: number }
      if (interactionId)
        counting.interactions.set(interactionId, Math.max(duration, counting.interactions.get(interactionId) ?? 0))
    }
  }
  new PerformanceObserver((list) => note(list.getEntries())).observe({
    type: 'event',
    durationThreshold: 16,
    buffered: true,
  } as PerformanceObserverInit)
}

async function pressAll(page: Page, key: string, times: number): Promise<void> {
  for (let press = 0; press < times; press += 1) {
    await page.keyboard.press(key)
    await sleep(60)
  }
}

function writeNotes(workspace: string): void {
  mkdirSync(join(workspace, 'memory'), { recursive: true })
  writeFileSync(join(workspace, 'MEMORY.md'), '# Memory\n\n- Door 77 opens with 4411.\n')
  for (let number = 0; number < notes; number += 1) {
    const name = `n${String(number).padStart(5, '0')}`
    const folder = join(workspace, 'memory', `f${number % 40}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, `${name}.md`),
      `# Note ${number}\n\nDoor ${number % 900} opens with ${(number * 7919) % 10_000}; room ${number % 31} is on floor ${number % 9}.\n`,
    )
  }
}

type Line = Readonly<Record<string, unknown>>

/** Writes short chats, and one long chat that repeats a recorded turn. */
function writeChats(folder: string): void {
  const held = readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? ''
  const [head = {}, ...turn] = readFileSync(join(folder, held), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  const perTurn = turn.filter((entry) => entry['customType'] === 'commonplace.context').length
  for (let number = 0; number < chats; number += 1)
    writeFileSync(
      join(folder, `chat-${number}.jsonl`),
      transcript({ ...head, id: `chat-${number}` }, [again(turn, number)]),
    )
  const many = Array.from({ length: Math.floor(requests / perTurn) }, (_, number) => again(turn, number))
  // Part of a turn that fills up the number of requests.
  const rest = again(turn, many.length).slice(0, turn.findIndex((entry) => entry['customType'] !== undefined) + 1)
  const more = Array.from({ length: requests % perTurn }, (_, number) => again(rest, many.length + number))
  writeFileSync(join(folder, 'long.jsonl'), transcript({ ...head, id: 'long' }, [...many, ...more]))
}

/** Copies the entries of a turn with new ids. */
function again(turn: readonly Line[], number: number): Line[] {
  return turn.map((entry) => ({
    ...entry,
    id: `${String(entry['id'])}-${number}`,
    parentId: entry['parentId'] === null ? null : `${String(entry['parentId'])}-${number}`,
  }))
}

function transcript(head: Line, turns: readonly Line[][]): string {
  let last: unknown = null
  const lines = turns.flatMap((turn) =>
    turn.map((entry) => {
      const linked = { ...entry, parentId: entry['parentId'] ?? last }
      last = entry['id']
      return linked
    }),
  )
  return `${[head, ...lines].map((line) => JSON.stringify(line)).join('\n')}\n`
}
