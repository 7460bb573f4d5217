import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { enter, openPage, visit } from '../support/browser.ts'
import { dot, openTestPage } from '../support/test-page.ts'
import { until } from '../support/folder.ts'

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

describe('preview', () => {
  it('renders all syntax, loads nothing remote, and edits only the clicked character', async () => {
    const server = await openTestServer({
      files: {
        'Home.md': note,
        'notes/Other.md': '# Other\n\nBefore.\n\n## Part\n\nThe embedded part, see [[Home]].\n\n## Next\n\nAfter.\n',
        'files/dot.png': dot,
        'img/drawn one.svg': svg,
        'talk.mp3': 'ID3',
      },
    })
    const read = () => readFile(join(server.workspace, 'Home.md'), 'utf8')
    const page = await openPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).host))
    await enter(page, server.url, '/file/Home.md')
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
    await pane.getByText('on example.com').waitFor()
    await pane.getByText('talk.mp3').first().waitFor()
    await pane.getByText('The embedded part').waitFor()
    expect(await pane.getByText('After.').count()).toBe(0)
    await pane.locator('.diagram img').waitFor({ timeout: 30_000 })
    await pane.getByText('Dataview block (shown as source)').waitFor()
    await pane.getByText('What it says.').waitFor()
    expect(await pane.getByText('its content').isVisible()).toBe(false)
    await pane.getByText('Folded').click()
    await pane.getByText('its content').waitFor()
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(new Set(asked.filter((host) => host !== '' && host !== new URL(server.url).host))).toEqual(new Set())
    expect(await pane.locator('*').count()).toBeLessThan(3000)

    // A tick changes one character and is one undo step.
    const box = pane.getByRole('checkbox', { name: 'Done', exact: true }).first()
    await until(async () => box.isEnabled())
    await box.click()
    await until(async () => box.isChecked())
    await page.keyboard.press('ControlOrMeta+s')
    await until(async () => (await read()) === note.replace('- [ ] buy', '- [x] buy'))
    await page.keyboard.press('ControlOrMeta+z')
    await until(async () => !(await box.isChecked()))

    // A property edit keeps the rest of the line, too.
    await pane.getByRole('button', { name: 'Edit status' }).click()
    await pane.getByRole('textbox', { name: 'Edit status' }).fill('closed')
    await page.keyboard.press('Enter')
    await pane.getByText('closed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await until(async () => (await read()) === note.replace('status: open', 'status: closed'))

    // Following a link keeps the preview open.
    await pane.getByRole('link', { name: 'Other', exact: true }).click()
    await page.waitForURL(/notes\/Other\.md$/)
    await pane.getByText('After.').waitFor()
    expect(await page.locator('.monaco-editor').isVisible()).toBe(false)
    await page.reload()
    await pane.getByText('After.').waitFor()
  }, 90_000)

  it('loads remote images on request: one, all of a note, or always', async () => {
    const asked: string[] = []
    const web = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(svg)
    })
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void web.close())
    const address = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
    const pictures = (...names: string[]) => names.map((name) => `![${name}](${address}/${name})`).join('\n\n')
    const server = await openTestServer({
      files: {
        'One.md': pictures('a', 'b', 'c'),
        'Two.md': pictures('d'),
        'Mine.md': `---\nvisibility: local\n---\n${pictures('e')}`,
      },
      isOpenAddress: (to) => to === '127.0.0.1',
    })
    const page = await openPage()
    await page.addInitScript(() => localStorage.setItem('commonplace.file.preview', 'yes'))
    await page.goto(server.url)
    const open = (name: string) => page.goto(new URL(`/file/${name}.md`, server.url).href)
    const pane = page.getByTestId('preview')
    const shown = () => pane.locator('img.picture').count()
    await open('One')
    await pane.getByTestId('remote-picture').first().waitFor()
    await page.waitForTimeout(500)
    expect(asked).toEqual([])
    await pane.getByRole('button', { name: 'Load image' }).nth(1).click()
    await until(async () => (await shown()) === 1)
    expect(asked).toEqual(['/b'])
    await pane.getByRole('button', { name: 'Load all in note' }).first().click()
    await until(async () => (await shown()) === 3)

    await open('Two')
    await pane.getByTestId('remote-picture').waitFor()
    await pane.getByRole('link', { name: 'Always load…' }).click()
    await page.getByRole('combobox', { name: 'Load images from the web' }).waitFor()
    await writeFile(
      join(server.home, 'config.yaml'),
      `${await readFile(join(server.home, 'config.yaml'), 'utf8')}interface: { remotePictures: always }\n`,
    )
    await page.goBack()
    await until(async () => (await shown()) === 1)
    // Images in a local note load only on request.
    await open('Mine')
    await pane.getByRole('button', { name: 'Load image' }).waitFor()
    expect(asked.toSorted()).toEqual(['/a', '/b', '/c', '/d'])
  }, 90_000)

  it('completes a begun task, searches for a tag, and shows, links and hides files of other types', async () => {
    const text = '- [/] begun\n- [-] given up\n- [>] later #plans/summer\n- [ ] open\n'
    const pictures =
      '![drawing](../files/My%20plan.canvas)\n\n![paper](../files/p.pdf)\n\n![](../files/talk.mp3)\n\n![other](Other.md)\n\n![gone](no.canvas)'
    const { page, onDisk } = await openTestPage({
      files: {
        'Tasks.md': text,
        'notes/Home.md': pictures,
        'notes/Other.md': 'Also #plans/summer.',
        'files/My plan.canvas': '{}',
        'files/p.pdf': '%PDF-1.7',
        'files/talk.mp3': 'ID3',
        'files/dot.png': dot,
        'x.exe': 'MZ',
      },
    })
    await page.getByRole('link', { name: /^Notes/ }).click()
    await visit(page, '/file/Tasks.md')
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    const pane = page.getByTestId('preview')
    const begun = pane.getByRole('checkbox', { name: 'In progress' })
    await until(async () => begun.isEnabled())
    await begun.click()
    await pane.getByRole('checkbox', { name: 'Cancelled' }).click()
    await until(async () => (await pane.getByRole('checkbox', { name: 'Done' }).count()) === 3)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await until(async () => (await onDisk('Tasks.md')) === text.replace('[/]', '[x]').replace('[-]', '[ ]'))
    await pane.getByRole('link', { name: '#plans/summer' }).click()
    await page.waitForURL(/\/search\?q=tag/)
    await page.getByText('Other.md').first().waitFor()

    await visit(page, '/file/notes/Home.md')
    await pane.locator('.attachment', { hasText: 'talk.mp3' }).waitFor()
    expect(await pane.getByRole('link').allInnerTexts()).toEqual(['drawing', 'other'])
    expect(await pane.locator('.attachment').allInnerTexts()).toEqual(['paper', 'talk.mp3'])
    expect(await pane.locator('.no-picture').allInnerTexts()).toEqual([expect.stringContaining('gone')])
    await pane.getByRole('link', { name: 'drawing' }).click()
    const view = page.getByTestId('other')
    await view.getByText('My plan.canvas').waitFor()

    const tree = page.getByRole('region', { name: 'Notes' })
    expect(await tree.getByText('x.exe').count()).toBe(0)
    await tree.getByRole('link', { name: /Image\s*dot\.png/ }).click()
    const width = (image: SVGElement | HTMLElement) => (image as HTMLImageElement).naturalWidth
    await until(async () => (await view.locator('img.picture').evaluate(width)) === 1)
    await tree.getByRole('link', { name: /talk\.mp3/ }).click()
    await view.getByRole('button', { name: 'Play' }).waitFor()
    await tree.getByRole('button', { name: '4 other files' }).click()
    await until(async () => (await tree.getByText('talk.mp3').count()) === 0)
  }, 60_000)

  it('leaves nothing in the page after notes are closed', async () => {
    const names = Array.from({ length: 30 }, (_, number) => `n${number}.md`)
    const server = await openTestServer({ files: Object.fromEntries(names.map((name) => [name, `# ${name}\n\ntext`])) })
    const page = await openPage()
    await page.addInitScript(() => localStorage.setItem('commonplace.file.preview', 'yes'))
    await page.goto(server.url)
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    const nodes = async () => {
      await page.requestGC()
      const { metrics } = await session.send('Performance.getMetrics')
      return metrics.find(({ name }) => name === 'Nodes')?.value ?? 0
    }
    const look = async (some: readonly string[]) => {
      for (const name of some) {
        await visit(page, `/file/${name}`)
        await page.getByTestId('preview').getByRole('heading', { name }).waitFor()
        await page.locator('.monaco-editor .view-line').first().waitFor()
      }
      return nodes()
    }
    const before = await look(names.slice(0, 8))
    expect((await look(names.slice(8))) - before).toBeLessThan(2500)
  }, 90_000)
})
