/** A note as it is read: what it shows, what can be done in it, and that nothing of it leaves the page's bounds. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, keepScreenshot, openPage } from '../support/browser.ts'
import { until } from '../support/folder.ts'

afterAll(closeBrowser)

/** One red dot. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><script>parent.hacked = 1</script><rect width="40" height="20" fill="green"/></svg>'

const note = `---
status: open # why
done: false
tags: [one, two]
related: "[[Other]]"
---

# Everything

%%not to be seen%% ==A highlight==, a footnote[^1], a formula $x^2$ and a block. ^block1

- a bullet
- [ ] buy milk
  - [x] below

> [!warning]- Folded
> its content

![[dot.png|40]] and ![drawn](img/drawn%20one.svg) and ![elsewhere](https://example.com/x.png)

![[talk.mp3]]

![[Other#Part]]

\`\`\`mermaid
graph TD; A[Start] --> B[End]
\`\`\`

\`\`\`dataview
LIST FROM "x"
\`\`\`

[^1]: What it says.
`

describe('M66 reading', () => {
  it('M66: a note shows all that it is made of, loads nothing from elsewhere, and changes by the one sign that was clicked', async () => {
    const server = await openTestServer({
      files: {
        'Home.md': note,
        'notes/Other.md': '# Other\n\nBefore.\n\n## Part\n\nThe embedded part, see [[Home]].\n\n## Next\n\nAfter.\n',
        'files/dot.png': png,
        'img/drawn one.svg': svg,
        'talk.mp3': 'ID3',
      },
    })
    const read = () => readFile(join(server.workspace, 'Home.md'), 'utf8')
    const page = await openPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).host))
    await page.goto(server.url)
    await page.goto(new URL('/file/Home.md', server.url).href)
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByRole('button', { name: 'Full width' }).click()
    const pane = page.getByTestId('preview')
    await pane.locator('mark', { hasText: 'A highlight' }).waitFor()
    expect(await pane.getByText('not to be seen').count()).toBe(0)
    expect(await pane.getByText('^block1').count()).toBe(0)
    expect(await pane.locator('.properties dt').allTextContents()).toEqual(['status', 'done', 'tags', 'related'])
    await pane.locator('.katex').first().waitFor()
    const sizes = () =>
      pane
        .locator('img.picture')
        .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth))
    await until(async () => (await sizes()).join() === '1,40')
    await pane.getByText('on example.com, not loaded').waitFor()
    await pane.getByText('talk.mp3').first().waitFor()
    await pane.getByText('The embedded part').waitFor()
    expect(await pane.getByText('After.').count()).toBe(0)
    await pane.locator('.diagram img').waitFor({ timeout: 30_000 })
    await pane.getByText('For Dataview: shown as written').waitFor()
    await pane.getByText('What it says.').waitFor()
    expect(await pane.getByText('its content').isVisible()).toBe(false)
    await pane.getByText('Folded').click()
    await pane.getByText('its content').waitFor()
    await keepScreenshot(page, 'reading-1-full')
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(new Set(asked.filter((host) => host !== '' && host !== new URL(server.url).host))).toEqual(new Set())
    expect(await pane.locator('*').count()).toBeLessThan(3000)

    // A tick is one sign, and one step back.
    const box = pane.getByRole('checkbox', { name: 'Done', exact: true }).first()
    await until(async () => box.isEnabled())
    await box.click()
    await until(async () => box.isChecked())
    await page.keyboard.press('ControlOrMeta+s')
    await until(async () => (await read()) === note.replace('- [ ] buy', '- [x] buy'))
    await page.keyboard.press('ControlOrMeta+z')
    await until(async () => !(await box.isChecked()))

    // So is a property: the rest of its line stays.
    await pane.getByRole('button', { name: 'Change status' }).click()
    await pane.getByRole('textbox', { name: 'Change status' }).fill('closed')
    await page.keyboard.press('Enter')
    await pane.getByText('closed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await until(async () => (await read()) === note.replace('status: open', 'status: closed'))

    // Who follows a link goes on reading.
    await pane.getByRole('link', { name: 'Other', exact: true }).click()
    await page.waitForURL(/notes\/Other\.md$/)
    await pane.getByText('After.').waitFor()
    expect(await page.locator('.monaco-editor').isVisible()).toBe(false)
    await page.reload()
    await pane.getByText('After.').waitFor()
  }, 90_000)
})
