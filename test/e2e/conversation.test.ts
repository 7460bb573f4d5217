import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { saved } from '../support/browser.ts'
import { dot, openModelPage } from '../support/test-page.ts'
import { until } from '../support/folder.ts'

/** Returns a long text. An answer that repeats itself would be stopped. */
const numbered = (count: number, unit: string, end: string) =>
  Array.from({ length: count }, (_, number) => `${unit} ${number}${end}`).join('')

const rich = `# Result

Some **bold** text, a [link](https://example.com), and money: $5 and $10.

- [x] done
- [ ] to do

| Name | Size |
|------|-----:|
| a    |  1.5 |

\`\`\`ts
const answer: number = 42 // the answer
\`\`\`

Inline \\(e^{i\\pi} + 1 = 0\\), and by itself:

$$
\\int_0^1 x^2 \\, dx = \\frac{1}{3}
$$

<script>document.title = 'broken'</script>
`

describe('answer rendering', () => {
  it('keeps the scroll position while it streams; renders Markdown, code, tables, formulas and long texts', async () => {
    const long = `See the note[^end].\n\n${numbered(2500, 'A paragraph of the long answer with its number', '.\n\n')}[^end]: Said last.`
    const { page, say } = await openModelPage([
      { text: numbered(120, 'Line of the answer', '.\n\n'), delayMs: 8 },
      { text: rich, thinking: 'Let me think about it.' },
      { text: long },
    ])
    await say('Tell me')
    const scroller = page.getByTestId('scroller')
    await until(async () => scroller.evaluate((element) => element.scrollHeight > element.clientHeight * 1.5), 30_000)
    const distance = () =>
      scroller.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight)
    await until(async () => (await distance()) < 5)
    await scroller.hover()
    await page.mouse.wheel(0, -500)
    await until(async () => (await distance()) > 400)
    const [top, height] = await scroller.evaluate((element) => [element.scrollTop, element.scrollHeight])
    await until(async () => (await scroller.evaluate((element) => element.scrollHeight)) > (height ?? 0) + 100)
    expect(Math.abs((await scroller.evaluate((element) => element.scrollTop)) - (top ?? 0))).toBeLessThan(3)
    await page.getByRole('button', { name: 'New text' }).click()
    await until(async () => (await distance()) < 5)

    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    await say('Show me')
    await page.locator('.katex').nth(1).waitFor()
    await page.locator('.highlighted span[style]').first().waitFor()
    expect(await page.locator('table td').allInnerTexts()).toEqual(['a', '1.5'])
    expect(await page.locator('input[type=checkbox]').count()).toBe(2)
    expect(await page.getByText('money: $5 and $10').count()).toBe(1)
    expect(await page.title()).not.toBe('broken')

    // A long answer scrolls in its own frame, also to a footnote.
    await say('Tell me all')
    const frame = page.getByTestId('long-answer')
    await frame.getByRole('button', { name: 'Footnote 1' }).click()
    await frame.getByText('Said last.').waitFor()
    expect(await frame.locator('p').count()).toBeLessThan(100)
  })
})

describe('temporary chat', () => {
  it('is marked until it ends and can be saved with a click, with undo', async () => {
    const { page, say, model } = await openModelPage([{ text: 'Aye.' }], {
      files: { 'MEMORY.md': '# Memory\n\n- The safe opens with walrus-9931.\n' },
    })
    await page.getByRole('switch', { name: 'Without memory' }).click()
    await page.getByText('The agent does not search memory', { exact: false }).waitFor()
    await say('Where is the safe?')
    const note = page.getByRole('note').filter({ hasText: 'Without memory' })
    await note.waitFor()
    await page.getByTestId('answer').first().waitFor()
    expect(model.requests.map(({ text }) => text).filter((text) => text.includes('walrus-9931'))).toEqual([])
    await note.getByRole('button', { name: 'Add to memory' }).click()
    await note.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await note.waitFor()
    await note.getByRole('button', { name: 'Add to memory' }).click()
    await note.waitFor({ state: 'detached' })
    await say('And now?')
    await until(() => Promise.resolve(model.requests.some(({ text }) => text.includes('walrus-9931'))))
    await page.getByRole('link', { name: 'New chat' }).first().click()
    expect(await page.getByRole('switch', { name: 'Without memory' }).getAttribute('aria-checked')).toBe('false')
  })
})

describe('branches', () => {
  it('edits, retries, switches versions, branches, deletes and undoes', async () => {
    const { page, say, composer } = await openModelPage([
      { text: 'First answer.' },
      { text: 'Second answer.' },
      { text: 'Answer to the edit.' },
      { text: 'Another answer to the edit.' },
    ])
    await say('First question')
    await page.getByText('First answer.').waitFor()
    await say('Second question')
    await page.getByText('Second answer.').waitFor()
    await composer.press('ArrowUp')
    const editor = page.getByRole('textbox', { name: 'Edit' })
    expect(await editor.inputValue()).toBe('Second question')
    await editor.fill('Second question, edited')
    await editor.press('Enter')
    await page.getByText('Answer to the edit.', { exact: true }).waitFor()
    const versions = page.getByTestId('versions')
    await until(async () => (await versions.innerText()) === '2/2')
    await page.getByRole('button', { name: 'Retry', exact: true }).last().click()
    await page.getByText('Another answer to the edit.').waitFor()
    await until(async () => (await versions.count()) === 2)
    await page.getByRole('button', { name: 'Previous version' }).first().click()
    await page.getByText('Second answer.').waitFor()
    expect(await page.getByText('Another answer').count()).toBe(0)
    await page.reload()
    await page.getByText('Second answer.').waitFor()

    await page.getByRole('button', { name: 'Delete from here' }).last().click()
    await page.getByText('Second answer.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Second answer.').waitFor()

    const address = page.url()
    await page.getByRole('button', { name: 'Continue in new chat' }).nth(1).click()
    await page.waitForURL((url) => url.href !== address)
    await page.getByText('First answer.').waitFor()
    expect(await page.getByText('Second answer.').count()).toBe(0)
  })
})

describe('while an answer runs', () => {
  it('queues messages, returns one to the composer, and shows retries and a tool call cut by length', async () => {
    const queued = Promise.withResolvers<void>()
    const { page, say, composer } = await openModelPage([
      { text: numbered(50, 'word', ' '), until: queued.promise },
      { text: 'As you say.' },
      { text: 'The last one.' },
      { status: 529, message: 'The bears are asleep', headers: { 'retry-after': '2' } },
      { text: 'There you are.' },
      { text: 'Let me', calls: [{ name: 'memory_search', arguments: {} }], rawArguments: '{"que', stop: 'length' },
    ])
    await say('Go')
    await page.getByTestId('live').getByText('word').waitFor()
    await composer.fill('rather blue')
    await composer.press('Enter')
    await composer.fill('and then stop')
    await composer.press('Control+Enter')
    await composer.fill('never mind')
    await composer.press('Enter')
    const queue = page.getByTestId('queue')
    await queue.getByText('never mind').waitFor()
    await queue.getByRole('button', { name: 'Edit' }).last().click()
    await until(async () => (await composer.inputValue()) === 'never mind')
    queued.resolve()
    await page.getByText('The last one.').waitFor()
    const asked = await page.locator('article').evaluateAll((turns) => turns.map((turn) => turn.textContent))
    expect(asked.map((text) => /rather blue|and then stop|Go/.exec(text ?? '')?.[0])).toEqual([
      'Go',
      'rather blue',
      'and then stop',
    ])

    await say('hello')
    await page.getByText(/is overloaded.*Retrying in \d s/).waitFor()
    await page.getByText('Message from anthropic: The bears are asleep').waitFor()
    await page.getByText('There you are.').waitFor()
    await say('and now?')
    await page.getByText('reached the length limit before it could use memory_search.').waitFor()
  })

  it('keeps an unknown command in the field and sends it as a message on request', async () => {
    const { page, composer, say, model } = await openModelPage([{ text: 'It is a word.' }, { text: 'A new answer.' }])
    await say('/foo bar')
    const alert = page.getByRole('alert').filter({ hasText: 'There is no command /foo. The commands are /new, ' })
    await alert.waitFor()
    expect(await composer.inputValue()).toBe('/foo bar')
    await composer.fill('/foo baz')
    await alert.waitFor({ state: 'detached' })
    await composer.press('Enter')
    expect(model.requests).toHaveLength(0)
    await alert.getByRole('button', { name: 'Send as a message' }).click()
    await page.getByText('It is a word.').waitFor()
    expect(await composer.inputValue()).toBe('')
    const address = page.url()
    await say('/new what is x')
    await page.getByText('A new answer.').waitFor()
    expect(page.url()).not.toBe(address)
    expect(await page.getByText('It is a word.').count()).toBe(0)
    await page.getByText('what is x').first().waitFor()
  })

  it('names the provider of a wrong key, links its setting, and answers after the fix', async () => {
    const { page, say, model } = await openModelPage([{ status: 401, message: 'invalid x-api-key' }])
    await say('hello there')
    const alert = page.getByRole('alert')
    await alert.getByText('anthropic rejected the API key', { exact: false }).waitFor()
    await alert.getByRole('link', { name: 'anthropic settings' }).click()
    const provider = page.getByRole('region', { name: 'Model', exact: true })
    await provider.getByText('Key from ANTHROPIC_API_KEY').waitFor()
    await provider.getByLabel('API key').fill('sk-right-0123456789')
    model.script = [{ text: 'Hello to you.' }]
    await provider.getByRole('button', { name: 'Connect' }).click()
    await provider.getByText('Key until the app quits').waitFor()
    await provider.getByText('Connected: 1 chat model available.').waitFor()
    expect(await page.content()).not.toContain('sk-right')
    await page.goBack()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Hello to you.').waitFor()
    expect(JSON.stringify(model.requests.at(-1)?.headers)).toContain('sk-right-0123456789')
    expect(await page.locator('article').getByText('hello there').count()).toBe(1)
  })

  it('asks before an MCP tool runs and shows its progress', async () => {
    const script = fileURLToPath(new URL('../support/mcp-server.mjs', import.meta.url))
    const { page, say, home } = await openModelPage(
      [
        { calls: [{ name: 'mcp__tools__slow', arguments: { steps: 10, everyMs: 150 } }], text: 'Counting.' },
        { text: 'Counted to ten.' },
      ],
      { extra: `mcp: { servers: { tools: { command: "${process.execPath}", args: ["${script}"] } } }\n` },
    )
    await say('Count')
    const card = page.getByTestId('permission')
    await card.getByText('Allow tools to run slow with these arguments?').waitFor()
    await card.getByRole('button', { name: 'Always allow' }).click()
    await page.getByText(/step \d/).waitFor()
    await page.getByText('Counted to ten.').waitFor()
    expect(await readFile(join(home, 'config.yaml'), 'utf8')).toContain('slow: always')
    await page.keyboard.press('Control+,')
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Programs' }).click()
    await page.getByText('Advanced', { exact: true }).click()
    const server = page.getByRole('region', { name: 'tools', exact: true })
    await server.getByText('Ready').waitFor()
    expect(await server.getByRole('combobox', { name: /slow/ }).inputValue()).toBe('always')
    const isLocal = server.getByRole('checkbox', { name: 'Use in private chats' })
    expect(await isLocal.isChecked()).toBe(false)
    await isLocal.click()
    await until(() => isLocal.isChecked())
    expect(await readFile(join(home, 'config.yaml'), 'utf8')).toContain('local: true')
  })
})

describe('drafts and attachments', () => {
  it('attaches picked, pasted and dropped files, refuses a binary one, completes @', async () => {
    const { page, composer, model, say } = await openModelPage([{ text: 'I see.' }], {
      files: { 'memory/projects/acme.md': '# Acme\n', 'MEMORY.md': '# M\n' },
    })
    await composer.waitFor()
    await page.locator('input[type=file]').setInputFiles([
      { name: 'a.png', mimeType: 'image/png', buffer: dot },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('the code is 4711') },
      { name: 'x.zip', mimeType: 'application/zip', buffer: Buffer.from([0x50, 0x4b, 0, 0xff, 0xfe]) },
    ])
    await page.getByText('x.zip cannot be attached', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor()
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(['dropped text'], 'dropped.md', { type: 'text/markdown' }))
      const target = document.querySelector('section[aria-label=Messages]')
      for (const type of ['dragenter', 'dragover', 'drop'])
        target?.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
      const pasted = new DataTransfer()
      pasted.items.add(new File(['pasted text'], 'pasted.txt', { type: 'text/plain' }))
      document
        .querySelector('textarea')
        ?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: pasted, bubbles: true, cancelable: true }))
    })
    await page.getByRole('button', { name: 'Remove pasted.txt' }).waitFor()
    await page.getByRole('button', { name: 'Remove dropped.md' }).waitFor()
    await composer.pressSequentially('What about @acm')
    await page.getByRole('option', { name: /acme/ }).first().waitFor()
    await composer.press('Tab')
    expect(await composer.inputValue()).toBe('What about @memory/projects/acme.md ')
    await composer.press('Enter')
    await page.getByText('I see.').waitFor()
    const sent = JSON.stringify(model.requests[0]?.body['messages'])
    for (const part of ['the code is 4711', 'dropped text', 'pasted text', '"media_type":"image/png"'])
      expect(sent).toContain(part)
    await page.getByRole('img', { name: 'Image 1' }).waitFor()
    await page.reload()
    await page.getByText('dropped.md').waitFor()
    await say('more')
    await until(() => model.requests.length === 2)
  })
})

describe('conversation list', () => {
  it('titles, searches, renames, pins, exports and deletes with undo', async () => {
    const { page, say, model } = await openModelPage([{ text: 'The zeppelin lands on Tuesday.' }, { text: 'Fine.' }])
    model.title = 'Zeppelin plans'
    await say('When does it land?')
    const list = page.getByRole('navigation')
    await list.getByText('Zeppelin plans').waitFor()
    await page.getByRole('link', { name: /New chat/ }).click()
    model.title = 'Small talk'
    await say('Hello there')
    await list.getByText('Small talk').waitFor()

    const search = page.getByRole('searchbox', { name: 'Search chats' })
    await search.fill('lands tuesday')
    const found = page.getByRole('region', { name: 'Matching chats' })
    await found.getByRole('link').first().waitFor()
    expect(await found.getByRole('link').count()).toBe(1)
    expect(await found.locator('mark').allInnerTexts()).toContain('lands')
    await found.getByRole('link').click()
    await page.getByRole('heading', { name: 'Zeppelin plans' }).waitFor()
    await search.fill('')

    const menu = async (item: string) => {
      await page.getByRole('button', { name: 'Chat actions' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await menu('Rename')
    await page.getByRole('textbox', { name: 'Name' }).fill('飞艇计划')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '飞艇计划' }).waitFor()
    await menu('Pin')
    await list.getByText('Pinned', { exact: true }).waitFor()
    await list.getByRole('link', { name: 'pinned 飞艇计划' }).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), menu('Export as Markdown')])
    expect(download.suggestedFilename()).toBe('飞艇计划.md')
    expect(await readFile(await saved(download), 'utf8')).toContain('The zeppelin lands on Tuesday.')
    await menu('Delete')
    await list.getByText('飞艇计划').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await list.getByText('飞艇计划').waitFor()
  })
})
