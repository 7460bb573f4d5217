import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { rounds } from '../support/thorough.ts'
import { findings } from '../support/axe.ts'
import { visit } from '../support/browser.ts'
import { openTestPage } from '../support/test-page.ts'
import { connect } from '../support/client.ts'
import { until } from '../support/folder.ts'
import { sections } from '../../src/renderer/settings/setting-rows.ts'

const files = {
  'MEMORY.md': '# Long-term memory\n\n- The garage door opens with 4411.\n- 钢琴由佐藤先生调音。\n',
  'memory/2026-01-20.md': '# 2026-01-20\n\n## 09:00 - Piano\nThe piano is tuned by Mr Sato.\n',
  'memory/2026-01-21.md': '# 2026-01-21\n\n## 09:00 - Again\n- The garage door opens with 4411.\n',
  'Zoo.md': `---
status: open
done: false
tags: [work, work/animals]
---

# Zoo

See [[MEMORY]], [[Not yet]] and [there](nowhere.md). ==Mind the walrus==, a formula $x^2$, #fun.

- [ ] buy fish
  - [x] feed them

> [!warning] Wet
> The floor.

\`\`\`mermaid
graph TD; A[Start] --> B[End]
\`\`\`

| animal | legs |
| ------ | ---- |
| walrus | 0    |
`,
}

async function openFull() {
  const { page, say, ...server } = await openTestPage({ files })
  await say('Who tunes the piano?')
  await page.getByTestId('answer').first().waitFor()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  return { ...server, page, session: /chat\/([^/#]+)/.exec(page.url())?.[1] ?? '' }
}

/** Every run checks the first size and the first views; all of them with `THOROUGH=1`. */
const sizes = [
  [1440, 900],
  [1024, 700],
  [700, 700],
  [360, 740],
] as const

async function tabToElement(wanted: Locator): Promise<void> {
  for (let step = 0; step < 120; step += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return
    await wanted.page().keyboard.press('Tab')
  }
  throw new Error('the Tab key does not lead there')
}

describe('accessibility', () => {
  it('finds no serious axe violation in any view, light or dark', async () => {
    const { page, session, url } = await openFull()
    const client = await connect(url)
    await client.savedSearches.add({
      agent: 'main',
      question: { query: 'garage', relevant: [{ path: 'MEMORY.md', startLine: 3, endLine: 3 }] },
    })
    await client.suggestions.look({ agent: 'main' })
    const [suggestion] = (await client.suggestions.list({ agent: 'main' })).open
    const views: [path: string, ready: string][] = [
      ['/file/Zoo.md', '[data-testid=preview] mark'],
      ['/inbox', '[data-testid=proposal]'],
      [`/inbox?proposal=${suggestion?.id}`, '[data-testid=proposal-view]'],
      ['/links/broken', '[data-testid=broken-link]'],
      [`/chat/${session}`, '[data-testid=answer]'],
      ['/search?q=piano', '[data-testid=result]'],
      ['/inspect/found?q=piano', '[data-testid=candidate]'],
      ['/inspect/recalls', '[data-testid=recall]'],
      ['/inspect/tested', '[data-testid=check]'],
      [`/inspect/sent/${session}`, '[data-testid=context-total]'],
      ['/changes', 'main section'],
      ['/find', 'main section'],
      ['/settings', '[data-testid=setting]'],
      ['/settings#models', '[data-key=model]'],
      ['/settings#data', '[data-testid=location]'],
      ['/', '[data-testid=start]'],
      ['/capture', 'textarea'],
      ...sections.map(({ id }): [string, string] => [`/settings#${id}`, 'main section']),
    ]
    // The preview and the links panel stay open for the following notes.
    await visit(page, '/file/Zoo.md')
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByRole('button', { name: 'Links', exact: true }).click()
    await page.getByRole('complementary', { name: 'Links' }).getByText('#work/animals').waitFor()
    const found: string[] = []
    for (const theme of (['light', 'dark'] as const).slice(0, rounds(1, 2))) {
      await client.settings.set({ path: ['interface', 'theme'], value: theme })
      for (const [width, height] of sizes.slice(0, rounds(1, sizes.length))) {
        await page.setViewportSize({ width, height })
        for (const [path, ready] of views.slice(0, rounds(18, views.length))) {
          await visit(page, path)
          await page.locator(ready).first().waitFor()
          await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, theme)
          found.push(...(await findings(page)).map((finding) => `${theme} ${width} ${path} ${finding}`))
        }
      }
    }
    expect(found).toEqual([])

    // Nothing is cut off at 200 % zoom, with forced colours and reduced motion.
    await page.setViewportSize({ width: 720, height: 450 })
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    for (const path of [`/chat/${session}`, '/search?q=piano', `/inspect/sent/${session}`, '/settings']) {
      await visit(page, path)
      await page.locator('main section, main').first().waitFor()
      const isCut = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1)
      expect(isCut, path).toBe(false)
    }
    const moving = await page.evaluate(
      () =>
        [...document.querySelectorAll('*')].filter((element) => {
          const { animationName, animationDuration } = getComputedStyle(element)
          return animationName !== 'none' && Number.parseFloat(animationDuration) > 0.05
        }).length,
    )
    expect(moving).toBe(0)
  }, 600_000)

  it('works with the keyboard alone: question, source, search, setting, toast', async () => {
    const { page, url } = await openTestPage({ files })
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
      )
    await until(async () => (await focused()) === 'Message')
    await page.keyboard.type('Who tunes the piano?')
    await page.keyboard.press('Enter')
    await page.getByTestId('answer').first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    const tabTo = async (wanted: RegExp) => {
      for (let step = 0; step < 80; step += 1) {
        if (wanted.test(await focused())) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`the Tab key does not lead to ${wanted}`)
    }
    await tabTo(/^memory\/2026-01-20\.md:4$/)
    await page.keyboard.press('Enter')
    await page.waitForURL(/file\/memory\/2026-01-20\.md/)
    await page.keyboard.press('Control+Shift+F')
    await until(async () => (await focused()) === 'Search')
    await page.keyboard.type('garage')
    await page.getByTestId('result').first().waitFor()
    await page.keyboard.press('Tab')
    await page.getByTestId('why-sentences').waitFor()
    await tabTo(/^Show all possible results in Inspect/)
    await page.keyboard.press('Enter')
    await page.getByTestId('candidate').first().waitFor()
    await tabTo(/^Details of MEMORY\.md/)
    await page.keyboard.press('Enter')
    await tabTo(/^Add as check/)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('settings')
    await page.getByRole('option', { name: /settings/i, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/settings/)
    await tabTo(/^Search settings/)
    await page.keyboard.type('thinking')
    await page.getByTestId('setting').first().waitFor()
    await tabTo(/^Thinking effort|^Off/)
    await page.keyboard.press('ArrowDown')
    await until(async () => {
      const client = await connect(url)
      return JSON.stringify((await client.settings.source()).written).includes('"thinking":"low"')
    })

    // A toast that disappears returns the focus.
    await page.keyboard.press('Control+Shift+Space')
    await page.getByTestId('capture').waitFor()
    await page.keyboard.type('Milk and bread')
    await page.keyboard.press('Enter')
    const undo = page.locator('[data-sonner-toast]').getByRole('button', { name: 'Undo' })
    const newChat = page.getByRole('link', { name: 'New chat' }).first()
    await undo.waitFor()
    await tabToElement(undo)
    await tabToElement(newChat)
    await visit(page, '/')
    await page.getByRole('textbox', { name: 'Message' }).focus()
    await tabToElement(undo)
    await page.keyboard.press('Enter')
    await undo.waitFor({ state: 'detached' })
    await until(() => page.evaluate(() => document.activeElement !== document.body))
  }, 60_000)
})
