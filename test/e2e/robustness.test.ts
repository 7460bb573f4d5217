/** No document, file name or error may leave the window blank, hang it, or break more than one component. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { rounds } from '../support/thorough.ts'
import { enter, openPage } from '../support/browser.ts'
import { until } from '../support/folder.ts'
import { openTestPage } from '../support/test-page.ts'
import {
  longNote,
  pathologicalDocuments,
  randomDocument,
  transcriptOf,
  type HostileDocument,
} from '../support/hostile-markdown.ts'
import { goTo, lookAt, watchPage } from '../support/page-watch.ts'

/** A window with a long note has fewer elements; layout stutters above this number. */
const maxElements = 25_000

/** Each document renders once here. The stress run has more and larger ones, as answers and as files. */
const documents: HostileDocument[] = [
  ...pathologicalDocuments().filter(({ text }) => text.length < 130_000),
  ...Array.from({ length: 10 }, (_, seed) => ({ name: `seed ${seed}`, text: randomDocument(seed) })),
  { name: 'a note of 430 kB', text: longNote(430_000) },
]

interface Opened {
  readonly page: Page
  readonly url: string
}

async function openWith(
  files: Readonly<Record<string, string>>,
  transcripts: Readonly<Record<string, string>> = {},
  look: Parameters<typeof openPage>[0] = {},
  expected?: RegExp,
): Promise<Opened> {
  const server = await openTestServer({ files })
  const sessions = join(server.home, 'agents/main/sessions')
  await mkdir(sessions, { recursive: true })
  for (const [id, text] of Object.entries(transcripts)) await writeFile(join(sessions, `${id}.jsonl`), text)
  const page = await openPage(look, expected)
  await watchPage(page)
  return { page, url: server.url }
}

describe('hostile Markdown', () => {
  it.each(['answer', 'file'] as const)(
    'renders every hostile document without leaving the window blank: as %s',
    { timeout: 120_000 },
    async (way) => {
      // A run renders a twelfth of the documents as answers and another as files, with `THOROUGH=1` each half.
      // The stress run renders all of them both ways.
      const share = rounds(12, 2)
      const mine = documents.filter((_document, index) => index % share === (way === 'answer' ? 0 : 1))
      const { page, url } = await openWith(
        Object.fromEntries(mine.map(({ text }, index) => [`fuzz/d${index}.md`, text])),
        Object.fromEntries(mine.map(({ text }, index) => [`d${index}`, transcriptOf(`d${index}`, [text])])),
      )
      await page.goto(url)
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
      for (const [index, { name, text }] of mine.entries()) {
        if (way === 'answer') {
          await goTo(page, `/chat/d${index}`)
          await page.locator('article').first().waitFor()
        } else {
          await goTo(page, `/file/fuzz/d${index}.md`)
          const preview = page.getByRole('button', { name: 'Preview', exact: true })
          // A text with a NUL byte is binary, and the view says so.
          await preview.or(page.locator('main [role=alert]')).first().waitFor()
          if ((await preview.count()) > 0) await preview.click()
        }
        const sight = await lookAt(page, 60)
        expect(sight, name).toMatchObject({ isWhole: true, broken: 0 })
        if (text.trim() !== '') expect(sight.characters, name).toBeGreaterThan(0)
        expect(sight.elements, name).toBeLessThan(maxElements)
      }
    },
  )

  it('shows parts of 1 MB of code, of 4,000 messages and of a long note, and leads to the rest', async () => {
    const code = `\`\`\`ts\n${Array.from({ length: 30_000 }, (_, index) => `export const value${index} = ${index}`).join('\n')}\n\`\`\``
    const answers = Array.from({ length: 2000 }, (_, number) => `Answer ${number}: ${'words '.repeat(number % 40)}`)
    const { page, url } = await openWith(
      { 'memory/long.md': `${longNote(430_000)}\n\n## The last heading\n` },
      { code: transcriptOf('code', [code]), long: transcriptOf('long', answers) },
    )
    await enter(page, url, '/chat/code')
    await page.getByRole('button', { name: /Show all [\d,]+ characters/ }).click()
    const sheet = page.getByRole('dialog', { name: 'Full text' })
    await sheet.getByRole('searchbox').fill('value29999')
    await sheet.getByText('/1').first().waitFor()
    await sheet.getByRole('searchbox').press('Enter')
    await sheet.getByText('export const value29999').waitFor()

    // A chat starts at its end, and a link leads to a message.
    await page.keyboard.press('Escape')
    await goTo(page, '/chat/long')
    await page.getByText('Answer 1999').waitFor()
    expect(await page.locator('article').count()).toBeLessThan(40)
    await goTo(page, '/chat/long#m-m1000')
    await page
      .getByText(/^Answer 49\d:/)
      .first()
      .waitFor()

    await goTo(page, '/file/memory/long.md')
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    const pane = page.getByTestId('preview')
    const first = pane.getByRole('heading', { name: '0. A day in the project' })
    await first.waitFor()
    await until(async () => {
      await pane.evaluate((element) => element.scrollTo(0, element.scrollHeight))
      return (await pane.getByRole('heading', { name: 'The last heading' }).count()) > 0
    }, 20_000)
    expect(await page.locator('*').count()).toBeLessThan(maxElements)
    await pane.evaluate((element) => element.scrollTo(0, 0))
    await first.waitFor()
  })
})

describe('line ends and byte order marks', () => {
  it('stay in the file, and are invisible in the editor', async () => {
    const mixed = 'a\rb\r\nc\nd\r'
    const files = { 'memory/mixed.md': mixed, 'mark.md': '\uFEFF# Title\r\n\r\nOne.\r\n' }
    const { page, open, type, onDisk, workspace } = await openTestPage({ files })
    const line = (at: number) => page.locator('.monaco-editor .view-line').nth(at)
    await open('memory/mixed.md')
    await page.locator('.monaco-editor .view-line', { hasText: 'c' }).waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()

    await open('mark.md')
    await until(async () => /^#\sTitle$/.test((await line(0).textContent()) ?? ''))
    expect(await onDisk('memory/mixed.md')).toBe(mixed)
    await type('Two.')
    await page.keyboard.press('Control+s')
    await until(async () => (await onDisk('mark.md')) === '\uFEFF# Title\r\n\r\nOne.\r\nTwo.')
    await writeFile(join(workspace, 'mark.md'), '\uFEFF# Title\r\n\r\nAnother program.\r\n')
    await line(2).getByText('Another program.').waitFor()
    expect(await line(0).textContent()).toMatch(/^#\sTitle$/)
    await type('And I.')
    await page.keyboard.press('Control+s')
    await until(async () => (await onDisk('mark.md')) === '\uFEFF# Title\r\n\r\nAnother program.\r\nAnd I.')
  })
})

/** Makes the app throw when it reads a marked text, as long as the page's flag is set. */
async function sabotage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const state = { isOn: true }
    Object.assign(window, { sabotage: state })
    const { matchAll } = String.prototype
    Object.assign(String.prototype, {
      matchAll(this: string, pattern: RegExp) {
        if (state.isOn && this.includes('BREAK HERE')) throw new TypeError('sabotaged text')
        return matchAll.call(this, pattern)
      },
    })
    const { replace } = String.prototype
    Object.assign(String.prototype, {
      replace(this: string, ...told: unknown[]): unknown {
        if (state.isOn && this.startsWith('break_here')) throw new TypeError('sabotaged step')
        return Reflect.apply(replace, this, told)
      },
    })
    // The accessible name of a control that exists only in the Changes view.
    const { setAttribute } = Element.prototype
    Element.prototype.setAttribute = function (this: Element, name: string, value: string) {
      if (state.isOn && name === 'aria-label' && value === 'Author') throw new TypeError('sabotaged view')
      setAttribute.call(this, name, value)
    }
  })
}

const stopSabotage = (page: Page) =>
  page.evaluate(() => ((window as unknown as { sabotage: { isOn: boolean } }).sabotage.isOn = false))

const sabotaged = /sabotaged|nobody waited|reading '|error boundary|The above error/

/** A transcript with a malformed tool result and a tool step that can be broken. */
function foreignTranscript(): string {
  const timestamp = '2026-01-20T10:00:00.000Z'
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
  const at = 1_768_903_200_000
  const call = { type: 'toolCall', id: 'c1', name: 'memory_search', arguments: { query: 'plans' } }
  const broken = { type: 'toolCall', id: 'c2', name: 'break_here', arguments: {} }
  const assistant = { role: 'assistant', provider: 'p', model: 'm', usage, timestamp: at }
  const messages = [
    { role: 'user', content: 'What did we decide about the plan?', timestamp: at },
    { ...assistant, content: [{ type: 'text', text: 'I shall look.' }, call, broken], stopReason: 'toolUse' },
    {
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'memory_search',
      content: [{ type: 'text', text: '{}' }],
      isError: false,
      details: { kind: 'recall', recall: {} },
      timestamp: at,
    },
    {
      ...assistant,
      content: [
        { type: 'text', text: 'We decided to wait.\n\nBREAK HERE, in this passage.\n\nAnd **Ana** writes the letter.' },
      ],
      stopReason: 'stop',
    },
  ]
  const entries = messages.map((message, index) => ({
    type: 'message',
    id: `m${index}`,
    parentId: index === 0 ? null : `m${index - 1}`,
    timestamp,
    message,
  }))
  return `${[{ type: 'session', version: 3, id: 'foreign', timestamp }, ...entries].map((line) => JSON.stringify(line)).join('\n')}\n`
}

describe('error boundaries', () => {
  it('keep the conversation when a passage and a step break, and the frame when a view breaks', async () => {
    const { page, url } = await openWith({}, { foreign: foreignTranscript() }, {}, sabotaged)
    await sabotage(page)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await enter(page, url, '/chat/foreign')
    const passage = page.getByRole('alert').filter({ hasText: 'This passage cannot be shown.' })
    await passage.waitFor()
    expect(await page.getByText('This step cannot be shown.').count()).toBe(1)
    expect(await page.getByText('“plans”').count()).toBe(1)
    expect(await page.getByText('We decided to wait.').count()).toBe(1)
    expect(await page.locator('strong', { hasText: 'Ana' }).count()).toBe(1)
    await passage.getByRole('button', { name: 'Copy details' }).click()
    await passage.getByRole('button', { name: 'Copied' }).waitFor()
    const details = await page.evaluate(() => navigator.clipboard.readText())
    expect(details).toContain('sabotaged text')
    await passage.getByRole('button', { name: 'Try again' }).click()
    await passage.waitFor()
    await stopSabotage(page)
    await passage.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('BREAK HERE, in this passage.').waitFor()

    await page.goto(new URL('/changes', url).href)
    await page.getByText('This view cannot be shown.').waitFor()
    await page.getByRole('navigation').waitFor()
    await page.getByRole('link', { name: 'Search' }).first().click()
    await page.getByText('This view cannot be shown.').waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByText('This view cannot be shown.').waitFor()
    await stopSabotage(page)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('This view cannot be shown.').waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Changes' }).waitFor()
  })

  it('shows an uncaught error once', async () => {
    const { page, url } = await openWith({}, {}, {}, sabotaged)
    await page.goto(url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.evaluate(() => {
      for (let time = 0; time < 5; time += 1) void Promise.reject(new Error('nobody waited'))
      setTimeout(() => {
        throw new Error('nobody waited')
      })
    })
    await page.getByText('Something went wrong.').waitFor()
    expect(await page.locator('[data-sonner-toast]').count()).toBe(1)
    expect(await page.getByRole('textbox', { name: 'Message' }).isVisible()).toBe(true)
  })
})
