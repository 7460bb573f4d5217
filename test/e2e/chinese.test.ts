import { expect, it } from 'vitest'
import { sections } from '../../src/renderer/settings/setting-rows.ts'
import { visit } from '../support/browser.ts'
import { connect } from '../support/client.ts'
import { latinWords } from '../support/latin-words.ts'
import { openTestPage } from '../support/test-page.ts'

const files = {
  'MEMORY.md': '# 长期记忆\n\n- 车库门的密码是4411。\n- 钢琴由佐藤先生调音。\n',
  'memory/2026-01-20.md': '# 2026-01-20\n\n## 09:00 钢琴\n钢琴由佐藤先生调音。\n',
  '动物园.md': '# 动物园\n\n见[[MEMORY]]和[[还没有]]。\n\n- [ ] 买鱼\n\n> [!warning] 潮湿\n> 地上有水。\n',
}

const views = [
  '/',
  '/file/%E5%8A%A8%E7%89%A9%E5%9B%AD.md',
  '/inbox',
  '/links/broken',
  '/search?q=钢琴',
  '/inspect/found?q=钢琴',
  '/inspect/recalls',
  '/inspect/tested',
  '/changes',
  '/find',
  '/capture',
  ...sections.map(({ id }) => `/settings#${id}`),
]

/** Runs in the page. Returns the texts and labels that are shown, without code, keys and the editor's content. */
function shownTexts(): string[] {
  const skipped = 'code, kbd, pre, script, style, option, .font-mono, .view-lines, [lang]:not(html)'
  const texts: string[] = []
  for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
    if (element.closest(skipped) || !element.checkVisibility()) continue
    for (const node of element.childNodes) if (node instanceof Text) texts.push(node.data)
    for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-description'])
      texts.push(element.getAttribute(name) ?? '')
  }
  return texts
}

it.each([['zh-CN'], ['zh-TW']])(
  'the interface in %s has no English words',
  async (locale) => {
    const { page, url } = await openTestPage({ files }, { locale })
    const client = await connect(url)
    await page.locator(`html[lang=${locale}]`).waitFor()
    await page.getByRole('textbox').first().fill('谁给钢琴调音？')
    await page.keyboard.press('Enter')
    await page.getByTestId('answer').first().waitFor()
    const chat = new URL(page.url()).pathname
    await client.suggestions.look({ agent: 'main' })
    const [session = ''] = chat.split('/').slice(-1)
    const found = new Set<string>()
    for (const view of [chat, `/inspect/sent/${session}`, ...views]) {
      await visit(page, view)
      await page.locator('main').first().waitFor()
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null)
      for (const text of await page.evaluate(shownTexts)) {
        const words = latinWords(text)
        if (words.length > 0) found.add(`${view}: ${text.trim()}`)
      }
    }
    expect([...found]).toEqual([])
  },
  240_000,
)
