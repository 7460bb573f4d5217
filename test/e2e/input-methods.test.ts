import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CDPSession, Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { visit } from '../support/browser.ts'
import { openTestPage } from '../support/test-page.ts'
import { until } from '../support/folder.ts'

const decomposed = 'notes/Re\u0301sume\u0301.md'

/** More than twelve, so that the tree has a filter. */
const chapters = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20]

const files = {
  'MEMORY.md': '# 记忆\n\n- 房东 2026 年 5 月换了锁。\n',
  'notes/王五.md': '# 王五\n\n电话 13800001111\n',
  'notes/張三.md': '# 張三\n\n住在台北\n\n#朋友\n',
  [decomposed]: '# CV\n',
  ...Object.fromEntries(chapters.map((number) => [`notes/第${number}章.md`, `# 第${number}章\n`])),
}

async function open(place: string) {
  const { page, ...server } = await openTestPage({ files }, { locale: 'zh-CN' }, place)
  await page.getByRole('navigation').first().waitFor()
  const input = await page.context().newCDPSession(page as Page)
  return { server, page, input }
}

/** Composes letters in the focused field, as an input method does. The composition stays open. */
async function compose(input: CDPSession, text: string): Promise<void> {
  for (let length = 1; length <= text.length; length += 1) {
    const letters = text.slice(0, length)
    await input.send('Input.imeSetComposition', { text: letters, selectionStart: length, selectionEnd: length })
  }
}

/** Presses a key that the input method uses: browsers report it with key code 229. */
async function pressComposed(input: CDPSession, key: 'Enter' | 'Escape' | 'ArrowDown'): Promise<void> {
  await input.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, code: key, windowsVirtualKeyCode: 229 })
  await input.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code: key, windowsVirtualKeyCode: 229 })
}

const commit = (input: CDPSession, text: string) => input.send('Input.insertText', { text })

/** Composes letters and presses the keys that would submit, close or clear. Fails if the field or its text is gone. */
async function composeAndPress(page: Page, input: CDPSession, field: Locator, letters: string): Promise<void> {
  await field.focus()
  await compose(input, letters)
  for (const key of ['ArrowDown', 'Enter', 'Escape'] as const) await pressComposed(input, key)
  // Time for a wrong search, submit or close to happen.
  await page.waitForTimeout(400)
  expect(await field.inputValue()).toContain(letters)
}

describe('composition', () => {
  it('starts no search, opens no menu, sends nothing and filters nothing', async () => {
    const { page, input, server } = await open('/search')
    const search = page.getByRole('main').getByRole('combobox')
    await composeAndPress(page, input, search, 'fangdong')
    expect(new URL(page.url()).search).toBe('')
    expect(await page.getByTestId('result').count()).toBe(0)
    await commit(input, '房东')
    await page.getByTestId('result').first().waitFor()
    expect(await search.inputValue()).toBe('房东')

    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog').getByRole('combobox')
    const options = page.getByRole('option')
    await until(async () => (await options.count()) > 20)
    const before = await options.allInnerTexts()
    await composeAndPress(page, input, palette, 'ww')
    expect(await options.allInnerTexts()).toEqual(before)
    await commit(input, 'ww')
    await page.getByRole('option', { name: '王五.md' }).first().waitFor()
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })

    await visit(page, '/')
    const composer = page.getByRole('textbox', { name: '消息', exact: true })
    await composer.fill('/')
    await page.getByRole('listbox').waitFor()
    await composeAndPress(page, input, composer, 'ne')
    expect(await page.getByRole('listbox').count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/')
    await commit(input, 'ne')
    await page.getByRole('listbox').waitFor()
    await composer.fill('')

    await page.getByRole('link', { name: /^笔记/ }).click()
    const filter = page.getByRole('searchbox', { name: '筛选文件' })
    const found = page.getByTestId('found-name')
    await composeAndPress(page, input, filter, 'zhang')
    expect(await found.count()).toBe(0)
    await commit(input, '张三')
    await until(async () => (await found.allInnerTexts()).join() === '張三.md')

    await page.keyboard.press('Control+Shift+Space')
    const capture = page.getByTestId('capture').getByRole('textbox')
    await composeAndPress(page, input, capture, 'mai niunai')
    await commit(input, '买牛奶')
    await capture.press('Enter')
    await capture.waitFor({ state: 'detached' })
    const [log = ''] = await readdir(join(server.workspace, 'memory'))
    expect(await readFile(join(server.workspace, 'memory', log), 'utf8')).toContain('买牛奶')
  })

  it('completes links in the editor, keeps dialogs open and settings as they are', async () => {
    const { page, input } = await open('/file/notes/%E5%BC%B5%E4%B8%89.md')
    await page.locator('.monaco-editor .view-lines').click()
    await page.keyboard.press('Control+End')
    for (const sign of ['【', '【']) await commit(input, sign)
    await page.keyboard.type('王')
    await page.locator('.suggest-widget.visible').getByText('王五').first().waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.view-line', { hasText: '[[王五]]' }).waitFor()

    await page.getByRole('button', { name: '新建笔记' }).click()
    await composeAndPress(page, input, page.getByRole('dialog').getByRole('textbox'), 'ji')
    await commit(input, '记')
    // The dialog ignores Escape for some milliseconds after a composition.
    await until(async () => {
      await page.keyboard.press('Escape')
      return (await page.getByRole('dialog').count()) === 0
    })

    await visit(page, '/settings')
    const headings = page.locator('main h2')
    await headings.filter({ hasText: '通用' }).waitFor()
    const before = await headings.allInnerTexts()
    const search = page.getByRole('searchbox', { name: '搜索设置' })
    await composeAndPress(page, input, search, 'zhuti')
    expect(await headings.allInnerTexts()).toEqual(before)
    await commit(input, '主题')
    await until(async () => (await headings.allInnerTexts()).join() !== before.join())
  })
})

describe('signs that Chinese input methods type', () => {
  it('open the menus of commands and files', async () => {
    const { page } = await open('/')
    const composer = page.getByRole('textbox', { name: '消息', exact: true })
    for (const sign of ['／', '、', '/']) {
      await composer.fill(`${sign}mod`)
      await page.getByRole('option', { name: /^\/model/ }).waitFor()
    }
    await composer.fill('、help')
    await composer.press('Enter')
    await page.getByText('/remember').first().waitFor()
    for (const [typed, path] of [
      ['请看＠ww', 'notes/王五.md'],
      ['@zhangsan', 'notes/張三.md'],
      ['@张三', 'notes/張三.md'],
      ['@résumé', decomposed],
    ] as const) {
      await composer.fill(typed)
      await page.getByRole('option', { name: path }).first().waitFor()
    }
    await composer.press('Tab')
    expect(await composer.inputValue()).toBe(`@${decomposed} `)
  })

  it('find names, and never a setting or command before its name', async () => {
    const { page } = await open('/')
    const lang = () => page.locator('html').getAttribute('lang')
    const selected = page.locator('[role=option][aria-selected=true]')
    const palette = async (typed: string) => {
      const dialog = page.getByRole('dialog')
      // A palette that still closes would take the key and the text.
      await dialog.waitFor({ state: 'detached' })
      await page.keyboard.press('Control+k')
      await dialog.getByRole('combobox').fill(typed)
      // Enter opens the selected row, and the selection moves with the typed text and when results arrive.
      await page.locator(`[role=listbox][aria-busy=false] [data-value="search/${typed}"]`).waitFor()
    }
    for (const typed of ['wangwu', 'ww', 'wang']) {
      await palette(typed)
      await page.getByRole('option', { name: '王五.md' }).first().waitFor()
      expect(await selected.getAttribute('data-value')).not.toMatch(/^(?:command|setting)\//)
      await page.keyboard.press('Escape')
    }
    for (const [typed, path] of [
      ['zhangsan', '張三.md'],
      ['张三', '張三.md'],
      ['résumé', decomposed],
    ] as const) {
      await palette(typed)
      await page.getByRole('option', { name: path }).first().click()
      await page.waitForURL((url) => decodeURIComponent(url.pathname).endsWith(path))
      // The editor takes the focus when it has loaded.
      await page.locator('.monaco-editor.focused').waitFor()
    }
    for (const typed of ['zhuti', 'yuyan', 'ftzw']) {
      await palette(typed)
      await page
        .getByRole('option', { name: /主题|语言/ })
        .first()
        .waitFor()
      expect(await selected.innerText()).toContain(typed)
      await page.keyboard.press('Enter')
      // The address tells which row Enter has opened.
      await expect.poll(() => page.url()).toContain(`/search?q=${typed}`)
    }
    expect(await lang()).toBe('zh-CN')
    await page.getByRole('link', { name: /^笔记/ }).click()
    await page.getByRole('searchbox', { name: '筛选文件' }).fill('zhang')
    const found = page.getByTestId('found-name')
    await until(async () => (await found.allInnerTexts()).includes('張三.md'))
    await page.getByRole('searchbox', { name: '筛选文件' }).fill('章')
    await until(
      async () => (await found.allInnerTexts()).join() === chapters.map((number) => `第${number}章.md`).join(),
    )
  })
})
