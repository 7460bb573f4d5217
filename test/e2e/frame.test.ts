import { afterAll, describe, expect, it } from 'vitest'
import { measureBundle } from '../bench/app.ts'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, keepScreenshot, openPage, visit } from '../support/browser.ts'
import { connect } from '../support/client.ts'
import { until } from '../support/folder.ts'
import { rounds } from '../support/thorough.ts'

afterAll(closeBrowser)

async function openFrame() {
  const server = await openTestServer({
    files: {
      'MEMORY.md': '# Memory\n\n## Preferences\n\n- The piano is tuned every May by Mr Okafor.\n',
      'memory/2026-11-20.md': '## 09:10 - Piano\n\nThe piano teacher comes on Tuesdays.\n',
    },
  })
  const page = await openPage()
  await page.goto(server.url)
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill('Who tunes the piano?')
  await composer.press('Enter')
  await page.getByTestId('answer').first().waitFor()
  return { server, page, client: await connect(server.url), chat: new URL(page.url()).pathname }
}

describe('narrow windows', () => {
  it('cuts nothing off at 360 and 700 px; the drawer closes after navigation', async () => {
    const { page, chat } = await openFrame()
    const views = [
      [chat, '[data-testid=answer]'],
      ['/search?q=piano+tuned', '[data-testid=candidate]'],
      ['/search/recalls', '[data-testid=recall]'],
      ['/search/checks', 'form'],
      ['/context', '[data-testid=context-total]'],
      ['/file/MEMORY.md', '.monaco-editor .view-lines'],
      ['/changes', 'h1'],
      ['/find', 'h1'],
      ['/settings#recall', '[data-testid=setting]'],
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
      await keepScreenshot(page, `frame-${width}`)
      const sidebar = page.getByRole('navigation', { name: 'Main navigation' })
      expect(await sidebar.count()).toBe(0)
      const way = page.getByRole('button', { name: 'Toggle sidebar' })
      await way.click()
      await sidebar.waitFor()
      await page.keyboard.press('Escape')
      await sidebar.waitFor({ state: 'detached' })
      await way.click()
      await sidebar.getByRole('link', { name: 'Changes' }).click()
      await page.waitForURL(/changes/)
      await sidebar.waitFor({ state: 'detached' })
    }
  }, 90_000)

  it('shows a button for the hidden sidebar', async () => {
    const { page } = await openFrame()
    const sidebar = page.getByRole('navigation', { name: 'Main navigation' })
    const way = page.getByRole('button', { name: 'Toggle sidebar' })
    await sidebar.waitFor()
    await page.keyboard.press('Control+b')
    await sidebar.waitFor({ state: 'detached' })
    await way.click()
    await sidebar.waitFor()
    await way.click()
    await sidebar.waitFor({ state: 'detached' })
  })
})

describe('command palette', () => {
  it('finds commands, agents and settings by English names and by pinyin', async () => {
    const { page, client } = await openFrame()
    await client.settings.setAppearance({ locale: 'zh-CN' })
    await page.locator('html[lang=zh-CN]').waitFor()
    const open = async (typed: string, name: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('combobox').fill(typed)
      await page.getByRole('option', { name }).first().click()
    }
    await open('inbox', '待审建议')
    await page.waitForURL(/inbox/)
    await open('settings keys', '设置: 快捷键')
    await page.waitForURL(/settings#keys/)
    for (const typed of ['yuzhi', 'threshold', '按权重']) {
      await open(typed, '阈值（仅用于按权重排序）')
      await page.waitForURL(/settings#memory\.search\.minScore/)
      await page.locator('[data-key="memory.search.minScore"] input:focus').waitFor()
      await page.goBack()
    }
    await open('检索测试', '检索测试')
    await page.waitForURL(/search\/checks/)
    await open('sidebar', '显示或隐藏侧栏')
    await page.getByRole('navigation', { name: '主导航' }).waitFor({ state: 'detached' })
    await open('new file', '新建文件')
    const field = page.getByRole('dialog').getByRole('textbox')
    await until(async () => {
      const selected = await field.evaluate((input: HTMLInputElement) =>
        input.value.slice(input.selectionStart ?? 0, input.selectionEnd ?? 0),
      )
      return selected === '新笔记'
    })
    await page.keyboard.type('钢琴')
    await page.keyboard.press('Enter')
    await page.waitForURL(/file\/memory/)
    await page.getByRole('heading', { name: 'memory/钢琴.md' }).waitFor()
  })
})

describe('command palette with a slow dictionary', () => {
  it('shows what a typed word finds by pinyin as soon as the dictionary is there', async () => {
    const { page, client } = await openFrame()
    await client.settings.setAppearance({ locale: 'zh-CN' })
    await page.locator('html[lang=zh-CN]').waitFor()
    const held = Promise.withResolvers<void>()
    await page.route(/\.js$/, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('jiansuoceshi')
    const found = page.getByRole('option', { name: '检索测试' })
    expect(await found.count()).toBe(0)
    held.resolve()
    await found.first().click()
    await page.waitForURL(/search\/checks/)
  })
})

describe('first load', () => {
  it('stays within its budget, with one language and without schema libraries', async () => {
    const server = await openTestServer()
    const page = await openPage()
    const loaded: string[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) loaded.push(response.url())
    })
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    expect(loaded.filter((url) => /\/(?:en|zh-CN|zh-TW)-/.test(url))).toHaveLength(1)
    const [first] = measureBundle()
    expect(first?.value).toBeLessThan(first?.budget ?? 0)
    const texts = await Promise.all(loaded.map((url) => page.evaluate(async (at) => (await fetch(at)).text(), url)))
    expect(texts.filter((text) => text.includes('invalid_union'))).toEqual([])
  }, 30_000)
})

describe('new chat', () => {
  it('sends messages typed before it exists to the same chat and answers all', async () => {
    const { page, server } = await openFrame()
    const client = await connect(server.url)
    const before = (await client.sessions.list({ agent: 'main' })).length
    await page.getByRole('link', { name: 'New chat' }).first().click()
    await page.waitForURL((url) => url.pathname === '/')
    const composer = page.getByRole('textbox', { name: 'Message' })
    for (const text of ['Remember that the boiler code is 7781', 'What is the boiler code?', 'hello']) {
      await composer.fill(text)
      await composer.press('Enter')
    }
    await page.getByText('I do two things', { exact: false }).waitFor()
    await page.locator('blockquote').getByText('7781', { exact: false }).first().waitFor()
    expect(await client.sessions.list({ agent: 'main' })).toHaveLength(before + 1)
  })
})

describe('text typed meanwhile', () => {
  it('moves to the new chat and not to the next one', async () => {
    const { page } = await openFrame()
    await page.getByRole('link', { name: 'New chat' }).first().click()
    await page.waitForURL((url) => url.pathname === '/')
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('What is the boiler code?')
    await composer.press('Enter')
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
})

describe('names of search results', () => {
  it('shows a chat’s title instead of the transcript’s path', async () => {
    const { page, client, chat } = await openFrame()
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('The piano stands in the cellar now.')
    await composer.press('Enter')
    await page.getByTestId('answer').nth(1).waitFor()
    await client.sessions.rename({ agent: 'main', session: chat.slice('/chat/'.length), name: 'About the piano' })
    await visit(page, '/search?q=piano+in+the+cellar')
    await page.getByTestId('candidate').getByRole('link', { name: 'About the piano' }).click()
    await page.waitForURL((url) => url.pathname === chat)
  })
})
