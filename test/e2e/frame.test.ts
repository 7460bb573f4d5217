import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { measureBundle } from '../bench/app.ts'
import { openTestServer } from '../support/app.ts'
import { focusForKeys, openPage, visit } from '../support/browser.ts'
import { openTestPage } from '../support/test-page.ts'
import { connect } from '../support/client.ts'
import { until } from '../support/folder.ts'
import { startTroubledEmbeddings } from '../support/troubled-embeddings.ts'
import { rounds } from '../support/thorough.ts'

async function openFrame() {
  const { page, say, composer, url } = await openTestPage({
    files: {
      'MEMORY.md': '# Memory\n\n## Preferences\n\n- The piano is tuned every May by Mr Okafor.\n',
      'memory/2026-11-20.md': '## 09:10 - Piano\n\nThe piano teacher comes on Tuesdays.\n',
    },
  })
  await say('Who tunes the piano?')
  await page.getByTestId('answer').first().waitFor()
  return { page, say, composer, client: await connect(url), chat: new URL(page.url()).pathname }
}

describe('the sidebar', () => {
  it('leads back to the last chat and note, can be hidden, and is a drawer in narrow windows', async () => {
    const { page, chat } = await openFrame()
    const place = (name: RegExp) => page.getByRole('navigation').getByRole('link', { name }).first().click()
    await place(/^Notes/)
    await page.getByRole('navigation').getByRole('link', { name: 'MEMORY.md' }).click()
    await page.waitForURL(/file\/MEMORY\.md/)
    await place(/^Suggestions/)
    await page.waitForURL(/inbox/)
    await place(/^Chat/)
    await page.waitForURL((url) => url.pathname === chat)
    await place(/^Notes/)
    await page.waitForURL(/file\/MEMORY\.md/)
    await place(/^Inspect/)
    await page.waitForURL((url) => url.pathname === chat.replace('/chat/', '/inspect/sent/'))

    const sidebar = page.getByRole('navigation', { name: 'Main navigation' })
    const way = page.getByRole('button', { name: 'Toggle sidebar' })
    await sidebar.waitFor()
    await page.keyboard.press('Control+b')
    await sidebar.waitFor({ state: 'detached' })
    await way.click()
    await sidebar.waitFor()
    await way.click()
    await sidebar.waitFor({ state: 'detached' })

    // Nothing is cut off at 360 and 700 px; the drawer closes after navigation.
    const views = [
      [chat, '[data-testid=answer]'],
      ['/search?q=piano+tuned', '[data-testid=result]'],
      ['/inspect/found?q=piano+tuned', '[data-testid=candidate]'],
      ['/inspect/recalls', '[data-testid=recall]'],
      ['/inspect/tested', 'form'],
      ['/inspect/sent', '[data-testid=context-total]'],
      ['/file/MEMORY.md', '.monaco-editor .view-lines'],
      ['/changes', 'h1'],
      ['/find', 'h1'],
      ['/settings#memory.embedding', '[data-key="memory.embedding.provider"]'],
      ['/settings#models', '[data-key=model]'],
      ['/settings#tools', 'pre'],
    ] as const
    for (const [width, height, looked] of [
      [360, 740, views.length],
      [700, 700, rounds(3, views.length)],
    ] as const) {
      await page.setViewportSize({ width, height })
      for (const [path, ready] of views.slice(0, looked)) {
        await visit(page, path)
        await page.locator(ready).first().waitFor()
        const outside = await page.evaluate(() => {
          const isScrolled = (element: Element) =>
            element.closest('.overflow-x-auto, .monaco-editor, .sr-only') !== null
          return [...document.querySelectorAll('main button, main input, main a, main select, footer *')]
            .filter((element) => element.getClientRects().length > 0 && !isScrolled(element))
            .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
            .map((element) => element.outerHTML.slice(0, 120))
        })
        expect(outside, `${path} at ${width}`).toEqual([])
      }
      expect(await sidebar.count()).toBe(0)
      await way.click()
      await sidebar.waitFor()
      await page.keyboard.press('Escape')
      await sidebar.waitFor({ state: 'detached' })
      await way.click()
      await sidebar.getByRole('link', { name: 'Suggestions' }).click()
      await page.waitForURL(/inbox/)
      await sidebar.waitFor({ state: 'detached' })
    }
  }, 90_000)
})

describe('search', () => {
  it('selects the first row of each query, and shows what matches and the names of chats', async () => {
    const { page, say, client, chat } = await openFrame()
    await visit(page, '/search')
    const field = page.getByRole('combobox', { name: 'Search' })
    for (const query of ['piano tuned', 'Tuesdays', 'piano']) {
      await field.fill(query)
      await page.waitForURL((url) => url.searchParams.get('q') === query)
      await until(async () => (await page.locator('[aria-busy=true]').count()) === 0)
      const selected = await page.getByRole('option').evaluateAll((rows) => rows.map((row) => row.ariaSelected))
      expect(selected.indexOf('true'), query).toBe(0)
      // The next query may leave another row at this place.
      await page.keyboard.press('ArrowDown')
    }

    // The match of a long entry is shown, without links to chats.
    const text = `${'The harbour has many old ships and '.repeat(9)}the zeppelin is in hangar four [sessions/a.jsonl:2]`
    await client.workspace.remember({ agent: 'main', text })
    await field.fill('zeppelin')
    const row = page.getByTestId('result').filter({ hasText: 'zeppelin' }).first()
    await row.locator('mark').waitFor()
    expect(await row.innerText()).toMatch(/^….{20,60}the zeppelin is in hangar four\n/)

    // A chat has its title instead of the transcript’s path.
    await visit(page, chat)
    await say('The piano is in the cellar now.')
    await page.getByTestId('answer').nth(1).waitFor()
    await client.chats.rename({ agent: 'main', session: chat.slice('/chat/'.length), name: 'About the piano' })
    await visit(page, '/inspect/found?q=piano+in+the+cellar')
    await page.getByTestId('candidate').getByRole('link', { name: 'About the piano' }).click()
    await page.waitForURL((url) => url.pathname === chat)
  })
})

/** Fills the field: on a busy machine, Chromium drops the first key after the focus has moved. */
async function typeInPalette(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill(text)
}

/** Presses Shift first, because Chromium can drop the first key, and Escape only once: a late one closes the next palette. */
async function closePalette(page: Page): Promise<void> {
  await page.keyboard.press('Shift')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

describe('command palette', () => {
  it('shows commands first, and private lines and secrets only over Notes and Search', async () => {
    const { page, client } = await openFrame()
    const lines = [
      'The dark horse costs 900 ^[private]',
      'The dark room: alarm code 8832',
      'Dark chocolate is in the hall',
    ]
    for (const text of lines) await client.workspace.remember({ agent: 'main', text })
    const row = (text: string | RegExp) => page.getByRole('option').filter({ hasText: text })
    await typeInPalette(page, 'dark')
    await row('Dark chocolate').waitFor()
    expect(await page.getByRole('option', { selected: true }).innerText()).toBe('Theme: Dark')
    expect(await row(/dark horse|dark room/).count()).toBe(0)
    await closePalette(page)
    await visit(page, '/search')
    await typeInPalette(page, 'dark')
    await row('dark horse').waitFor()
    await row('dark room').waitFor()
  })

  it('runs the command whose name is typed, closes for other views, and opens files at the caret', async () => {
    const { page, client } = await openFrame()
    await client.workspace.remember({ agent: 'main', text: 'The new file cabinet is in the hall' })
    await typeInPalette(page, 'new file')
    await page.getByText('file cabinet').first().waitFor()
    expect(await page.getByRole('option', { selected: true }).innerText()).toBe('New file')
    await page.keyboard.press('Escape')

    // It closes when a shortcut opens another view or quick capture.
    const dialogs = page.getByRole('dialog')
    for (const keys of ['Control+1', 'Control+Shift+Space']) {
      await visit(page, '/search')
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/command/).waitFor()
      await page.keyboard.press(keys)
      await page.getByPlaceholder(/command/).waitFor({ state: 'detached' })
    }
    await dialogs.getByRole('textbox').waitFor()
    expect(await dialogs.count()).toBe(1)
    await page.keyboard.press('Escape')

    // The caret goes into a file that is opened, and there is a way past the sidebar.
    await visit(page, '/search')
    await page.getByRole('combobox', { name: 'Search' }).waitFor()
    const skip = page.getByRole('button', { name: 'Skip to content' })
    await focusForKeys(skip)
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
    await page.keyboard.press('Control+p')
    await page.keyboard.type('MEMORY')
    await page.getByRole('option', { name: /^MEMORY\.md/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.monaco-editor.focused').waitFor()

    // English names and pinyin find commands and settings in Chinese.
    await client.settings.set({ path: ['interface', 'locale'], value: 'zh-CN' })
    await page.locator('html[lang=zh-CN]').waitFor()
    const open = async (typed: string, name: string) => {
      await typeInPalette(page, typed)
      await page.getByRole('option', { name }).first().click()
    }
    await open('inbox', '待审建议')
    await page.waitForURL(/inbox/)
    await open('quanbujieguo', '全部结果的总字数')
    await page.locator('[data-key="memory.search.maxCharacters"] input:focus').waitFor()
    await open('sidebar', '显示或隐藏侧栏')
    await page.getByRole('navigation', { name: '主导航' }).waitFor({ state: 'detached' })
    await open('new file', '新建笔记')
    const field = page.getByRole('dialog').getByRole('textbox')
    await until(async () => {
      const selected = await field.evaluate((input: HTMLInputElement) =>
        input.value.slice(input.selectionStart ?? 0, input.selectionEnd ?? 0),
      )
      return selected === '新笔记'
    })
  })
})

describe('first load', () => {
  it('stays within its budget, with one language and without schema libraries', async () => {
    const server = await openTestServer()
    const page = await openPage()
    const requested: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('.js')) requested.push(request.url())
    })
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    // The palette loads after the first paint, then the other views.
    await until(() => requested.some((url) => url.includes('/command-palette-')))
    const loaded = requested.slice(
      0,
      requested.findIndex((url) => url.includes('/command-palette-')),
    )
    expect(loaded.length).toBeGreaterThan(1)
    expect(loaded.filter((url) => /\/(?:en|zh-CN|zh-TW)-/.test(url))).toHaveLength(1)
    const [first] = measureBundle()
    expect(first?.value).toBeLessThan(first?.budget ?? 0)
    const textOf = (url: string) => page.evaluate(async (at) => (await fetch(at)).text(), url)
    const texts = await Promise.all(loaded.map(async (url) => [url, await textOf(url)] as const))
    expect(texts.flatMap(([url, text]) => (text.includes('invalid_union') ? [url] : []))).toEqual([])
  }, 30_000)
})

describe('new chat', () => {
  it('gets the messages and the text that are typed before it exists', async () => {
    const { page, say, composer, client } = await openFrame()
    const before = (await client.chats.list({ agent: 'main' })).length
    await page.getByRole('link', { name: 'New chat' }).first().click()
    await page.waitForURL((url) => url.pathname === '/')
    for (const text of ['Remember that the boiler code is 7781', 'What is the boiler code?', 'hello']) await say(text)
    await page.getByText('I do two things', { exact: false }).waitFor()
    await page.locator('blockquote').getByText('7781', { exact: false }).first().waitFor()
    expect(await client.chats.list({ agent: 'main' })).toHaveLength(before + 1)

    // Text typed meanwhile moves to the new chat and not to the next one.
    await page.getByRole('link', { name: 'New chat' }).first().click()
    await page.waitForURL((url) => url.pathname === '/')
    await say('What is the boiler code?')
    // Immediately, before the chat has an address.
    await page.keyboard.type('and then')
    await page.waitForURL(/\/chat\//)
    await page.keyboard.type(' this')
    await until(async () => (await composer.inputValue()) === 'and then this')
    await page.getByTestId('answer').first().waitFor()
    await page.getByRole('link', { name: 'New chat' }).first().click()
    await page.waitForURL((url) => url.pathname === '/')
    await composer.waitFor()
    expect(await composer.inputValue()).toBe('')
    await page.goBack()
    await until(async () => (await composer.inputValue()) === 'and then this')
  })

  it('gets the text of a search, but not what is typed in the palette or after @', async () => {
    const embeddings = await startTroubledEmbeddings()
    const { page, composer } = await openTestPage({
      files: { 'memory/sea.md': '# Sea\n\nThe walrus eats herrings.\n' },
      config: `agents:
  defaults: { memory: { embedding: { provider: openai-compatible, model: hashed, baseUrl: "${embeddings.url}", reach: remote } } }
  list: [{ id: main, workspace: "{{workspace}}" }]
`,
    })
    await until(() => embeddings.texts().length > 0)
    await composer.fill('See @walrus')
    await page.getByRole('option', { name: /walrus eats herrings/ }).waitFor()
    await typeInPalette(page, 'walrus eats')
    await page.getByRole('option', { name: /walrus eats herrings/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Shift+F')
    await page.getByRole('combobox', { name: 'Search' }).fill('what lives on fish')
    await until(() => embeddings.texts().includes('what lives on fish'))
    expect(embeddings.texts().filter((text) => text === 'walrus' || text === 'walrus eats')).toEqual([])
  })
})
