import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { focusForKeys, undoInToast, visit } from '../support/browser.ts'
import { openTestPage } from '../support/test-page.ts'
import { until } from '../support/folder.ts'
import { makeMemory } from '../support/made-memory.ts'
import { rounds } from '../support/thorough.ts'
import { startModelServer } from '../support/model-server.ts'
import { contentOf, reviewAnswer } from '../support/scripted-reviewer.ts'

describe('inbox', () => {
  it('shows a suggestion before Enter accepts it in a narrow window', async () => {
    const text = '# Notes\n\n- The bins are emptied on Monday.\n- The bins are emptied on Monday.\n'
    const { page, ...server } = await openTestPage(
      { files: { 'notes/a.md': text } },
      { viewport: { width: 900, height: 650 } },
      '/inbox',
    )
    const read = () => readFile(join(server.workspace, 'notes/a.md'), 'utf8')
    const inbox = page.getByTestId('inbox')
    await inbox.getByRole('button', { name: 'Scan notes' }).first().click()
    await inbox.getByTestId('proposal').first().waitFor()
    expect(await inbox.getByTestId('proposal-view').isVisible()).toBe(false)
    await focusForKeys(page.getByRole('listbox'))
    await page.keyboard.press('Enter')
    await inbox.getByTestId('proposal-view').waitFor()
    expect(await read()).toBe(text)
    await page.keyboard.press('Enter')
    await until(async () => (await read()) !== text)
  })

  it('works by keyboard with undo, and accepts outdated lines from search results', async () => {
    const { files } = makeMemory(7, rounds(200, 800))
    const { page, onDisk: read, ...server } = await openTestPage({ files, now: () => new Date('2026-11-22T12:00:00') })
    const inbox = page.getByTestId('inbox')
    const selected = inbox.locator('[role=option][aria-current=true]')
    const title = inbox.getByTestId('proposal-view').getByRole('heading', { level: 2 })

    // The palette finds the inbox by its keywords.
    await page.getByRole('link', { name: 'Suggestions' }).waitFor()
    await page.keyboard.press('Control+K')
    await page.getByPlaceholder('Type a command').fill('scan notes')
    await page.keyboard.press('Enter')
    await selected.waitFor()
    expect(Object.entries(files).filter(([path]) => path === 'MEMORY.md')).toEqual([
      ['MEMORY.md', await read('MEMORY.md')],
    ])
    const drawn = await inbox.getByTestId('proposal').count()
    expect(drawn, 'only what is in sight is drawn').toBeLessThan(40)
    const counted = () => page.getByRole('link', { name: /^Suggestions/ }).innerText()
    const before = Number((await counted()).replace(/\D/g, ''))
    expect(before).toBeGreaterThan(drawn)

    const first = await selected.getAttribute('id')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    expect(await selected.getAttribute('id')).not.toBe(first)
    const accepted = await selected.getAttribute('id')
    await page.keyboard.press('Enter')
    await until(async () => (await counted()).includes(String(before - 1)))
    // Keys do nothing for a suggestion whose action has begun.
    await until(async () => (await selected.getAttribute('id')) !== accepted)
    await page.keyboard.press('r')
    await until(async () => (await counted()).includes(String(before - 2)))
    await page.keyboard.press('u')
    await until(async () => (await counted()).includes(String(before - 1)))
    await page.keyboard.press('u')
    await until(async () => (await counted()).includes(String(before)))

    await page.keyboard.press('End')
    await page.keyboard.press('e')
    await page.getByRole('textbox').last().fill('- Put by hand.')
    await page.keyboard.press('Control+Enter')
    await until(async () => (await counted()).includes(String(before - 1)))
    await until(async () =>
      (await Promise.all(Object.keys(files).map(read))).some((text) => text.includes('- Put by hand.')),
    )
    // A busy Chromium drops the first key after the focus has moved.
    await page.keyboard.press('Shift')
    await page.keyboard.press('u')
    await until(async () => (await counted()).includes(String(before)))

    await page.keyboard.press('Control+a')
    await inbox.getByText(`${before} selected`).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(`${before} accepted.`).waitFor()
    await inbox.getByText('No open suggestions').waitFor()
    await page.keyboard.press('u')
    await until(async () => (await counted()).includes(String(before)), 20_000)
    for (const [path, text] of Object.entries(files)) expect(await read(path), path).toBe(text)

    await page.keyboard.press('Control+a')
    await page.keyboard.press('Enter')
    await inbox.getByText('No open suggestions').waitFor()
    const texts = await Promise.all(Object.keys(files).map(async (path) => ({ path, text: await read(path) })))
    const { path = '', text = '' } = texts.find((one) => one.text.includes('~~ (until ')) ?? {}
    await writeFile(join(server.workspace, path), text.replace('~~ (until ', '~~ indeed (until '))
    await page.keyboard.press('u')
    await inbox.getByTestId('stuck-note').getByRole('link').waitFor()
    await until(async () => (await counted()).includes(String(before - 1)), 20_000)
    await inbox.getByTestId('stuck-note').getByRole('button', { name: 'Close' }).click()
    await inbox.getByTestId('stuck-note').waitFor({ state: 'detached' })

    // A search result can be flagged as outdated.
    await visit(page, '/inspect/found?q=green+folder')
    await page.getByTestId('candidate').first().getByRole('button', { name: 'Details' }).click()
    await page.getByTestId('result-actions').getByRole('button', { name: 'Outdated' }).first().click()
    await page.waitForURL(/inbox\?proposal=/)
    await title.getByText('Outdated').waitFor()
    await page.keyboard.press('Enter')
    await until(async () =>
      (await Promise.all(Object.keys(files).map(read))).some((text) => text.includes('(until 2026-11-22)')),
    )
  }, 180_000)

  it('offers to replace the fact that a saved note changes', async () => {
    const log = 'memory/2026-11-02.md'
    const text = '# 2026-11-02\n\n- 09:00 The rent is 1,450 euros a month.\n'
    const { page, ...server } = await openTestPage({
      files: { [log]: text },
      now: () => new Date('2026-11-22T12:00:00'),
    })
    const read = () => readFile(join(server.workspace, log), 'utf8')
    await page.locator('textarea').first().waitFor()
    const save = async (note: string) => {
      await page.keyboard.press('Control+Shift+Space')
      const card = page.getByTestId('capture')
      await card.getByRole('textbox').fill(note)
      await card.getByRole('textbox').press('Enter')
      await card.waitFor({ state: 'detached' })
    }
    const toastWith = (label: string) => page.locator('[data-sonner-toast]').filter({ hasText: label })

    await save('The rent goes up to 1,520 from June.')
    await toastWith('Replaces this').getByRole('button', { name: 'Replaces this' }).waitFor()
    expect(await read(), 'the note is saved first, and nothing changes unasked').toBe(text)
    await toastWith('Replaces this').getByRole('button', { name: 'Replaces this' }).click()
    await until(async () => (await read()).includes('~~09:00 The rent is 1,450 euros a month.~~ (until 2026-11-22'))
    await undoInToast(page, 'The older note was crossed out.')
    await until(async () => (await read()) === text)

    await save('The rent is 1,450 euros a month')
    await toastWith(`${log}:3`).getByRole('button', { name: 'Open' }).click()
    await page.waitForURL(/2026-11-02\.md#L3/)
  })
})

describe('review in the inbox', () => {
  it('shows estimate, results, a combined diff and undo', async () => {
    const memory = makeMemory(61, 400)
    const [quote = ''] = /(?<=- )[A-Z].* runs .*/.exec(memory.files['memory/2026-06-05.md'] ?? '') ?? []
    const promote = quote === '' ? [] : [{ quote, section: 'Part 1', text: `Kept: ${quote}` }]
    const models = await startModelServer()
    models.respond = (body) => ({ text: reviewAnswer(contentOf(body), { ...memory, promote }) })
    const config = `providers: { anthropic: { baseUrl: "${models.url}" } }
agents:
  defaults: { memory: { embedding: { provider: none } }, upkeep: { schedule: "monday 09:00" } }
  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/claude-haiku-4-5 }]
`
    const env = { ANTHROPIC_API_KEY: 'sk-test-anthropic' }
    const { page, ...server } = await openTestPage({
      files: memory.files,
      config,
      env,
      now: () => new Date('2026-11-22T12:00:00'),
    })
    await page.getByRole('link', { name: 'Suggestions' }).click()
    const inbox = page.getByTestId('inbox')
    await inbox.getByRole('button', { name: 'Ask the model' }).click()
    await page.getByTestId('estimate').waitFor()
    expect(models.requests).toHaveLength(0)
    expect(await page.getByTestId('estimate').innerText()).toMatch(/about \$0\.\d+/)
    await page.getByRole('button', { name: 'Start' }).click()
    await inbox.getByTestId('proposal').first().waitFor()
    const note = inbox.getByTestId('review-note')
    await note.getByText('Reviewed').waitFor({ timeout: 30_000 })

    const view = inbox.getByTestId('proposal-view')
    const struck = view.locator('figure')
    await until(async () => (await struck.count()) > 0)
    const before = await struck.innerText()
    await page.keyboard.press('t')
    await until(async () => (await struck.innerText()) !== before)
    await view.getByRole('button', { name: 'Exact request' }).click()
    await page.getByTestId('wire').waitFor()
    expect(await page.getByRole('dialog').innerText()).not.toContain('sk-test')
    await page.keyboard.press('Escape')

    await note.getByRole('button', { name: /as one change/ }).click()
    await inbox.getByTestId('chosen-view').locator('figure').first().waitFor()
    await inbox
      .getByTestId('chosen-view')
      .getByRole('button', { name: /^Accept/ })
      .click()
    await page.getByText(/\d+ accepted\./).waitFor()
    await undoInToast(page, 'accepted.')
    await until(async () => {
      const texts = Object.keys(memory.files).map((path) => readFile(join(server.workspace, path), 'utf8'))
      return (await Promise.all(texts)).join('') === Object.values(memory.files).join('')
    })
  }, 120_000)
})
