import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { visit, undoInToast } from '../support/browser.ts'
import { openModelPage, openTestPage } from '../support/test-page.ts'
import { textsIn, until, writeFiles } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'
import { redactionPlaceholder, visibilityOf } from '../../src/shared/markdown/visibility.ts'

const health = '# Health\n\nThe doctor found a shadow on the left lung in March.\n'

describe('private notes', () => {
  it('makes notes and folders private with undo; an open chat does not see them', async () => {
    const remote = await startModelServer({ text: 'Ferries leave at ten.' })
    const config = `providers:
  anthropic: { baseUrl: "${remote.url}", reach: remote }
agents:
  defaults: { model: anthropic/claude-test, memory: { embedding: { provider: none } } }
  list: [{ id: main, workspace: "{{workspace}}" }]
`
    const {
      page,
      say,
      onDisk: read,
      ...server
    } = await openTestPage({
      files: {
        'health.md': health,
        'vault/code.md': 'The alarm code is 77 31 09 44.\n',
        'MEMORY.md':
          '# Long-term memory\n\n## Money ^[local]\n\n- The salary is 84,300 a year.\n\n## Places\n\n- Ferries leave at ten.\n',
      },
      config,
      env: { ANTHROPIC_API_KEY: 'sk-test-key' },
    })
    await page.getByRole('link', { name: /^Notes/ }).click()
    const row = (name: string) => page.locator('.group\\/row', { hasText: name }).first()
    const makePrivate = async () => {
      await row('health').hover()
      await page.getByRole('button', { name: 'Actions for health.md' }).click()
      await page.getByRole('menuitem', { name: 'Make private' }).click()
    }
    await makePrivate()
    await until(async () => (await read('health.md')) === `---\nvisibility: private\n---\n\n${health}`)
    await row('health').getByTestId('private').waitFor()
    await undoInToast(page)
    await until(async () => (await read('health.md')) === health)
    await makePrivate()
    await until(async () => (await read('health.md')).startsWith('---\nvisibility: private'))

    await row('vault').hover()
    await page
      .getByRole('button', { name: /vault$/ })
      .last()
      .click()
    await page.getByRole('menuitem', { name: 'Make private' }).click()
    await until(async () => (await readFile(join(server.home, 'config.yaml'), 'utf8')).includes('vault/'))

    await page.getByRole('link', { name: 'New chat' }).click()
    await say('When do ferries leave?')
    await page.getByText('Ferries leave at ten.').last().waitFor()
    const sent = remote.requests.map(({ text }) => text).join('')
    expect(sent).toContain(redactionPlaceholder)
    expect(sent).not.toMatch(/84,300|shadow on the left|77 31/)
  }, 120_000)
})

describe('a secret in a note', () => {
  it('can be made private while the line is edited, and the editor shows its lock', async () => {
    const { page, onDisk: read } = await openTestPage(
      { files: { 'home.md': '# Home\n\n- The salary is 900 ^[private]\n- \n' } },
      {},
      '/file/home.md',
    )
    const locks = page.locator('.monaco-editor .private-line')
    await locks.first().waitFor()
    expect(await locks.count()).toBe(1)
    await page.locator('.monaco-editor .view-line').nth(3).click()
    await page.keyboard.press('End')
    await page.keyboard.type('Alarm code 8832 for the house')
    await page.getByText('This looks like a password.').waitFor()
    await page.getByRole('button', { name: 'Make it private' }).click()
    await expect.poll(() => read('home.md')).toContain('- Alarm code 8832 for the house ^[private]\n')
    await expect.poll(() => locks.count()).toBe(2)
    await page.getByText('This looks like a password.').waitFor({ state: 'detached' })
  })
})

describe('source marks', () => {
  it('shows the source of a line as a small label; untrusted lines wait in the inbox', async () => {
    const write = { path: 'MEMORY.md', content: '- Ferries leave at nine', append: true }
    const ferry = '# Ferry\n\n- It leaves at nine. ^[web: news.example, 2026-11-22]\n- Mine alone. ^[local]\n- Plain.\n'
    const { page, onDisk, url } = await openModelPage(
      [
        { calls: [{ name: 'read', arguments: { path: 'ferry.md' } }] },
        { calls: [{ name: 'write', arguments: write }] },
        { text: 'It waits in your inbox.' },
      ],
      { files: { 'ferry.md': ferry } },
    )
    await page.getByRole('link', { name: /^Notes/ }).click()
    await page.locator('.group\\/row', { hasText: 'ferry' }).first().click()
    await page.getByRole('button', { name: 'Preview' }).click()
    const mark = page.getByTestId('line-mark')
    await mark.first().waitFor()
    expect(await mark.allInnerTexts()).toEqual(['web: news.example, 2026-11-22', 'private'])
    expect(await mark.first().getAttribute('title')).toBe('Source: web: news.example, 2026-11-22')
    await page.goto(url)
    await page.getByRole('textbox').last().fill('What does the note say?')
    await page.keyboard.press('Enter')
    await page.getByText('It waits in your inbox.').last().waitFor()
    await page.getByRole('link', { name: /^Suggestions/ }).click()
    await page.getByText('External source').first().waitFor()
    expect(await onDisk('MEMORY.md')).not.toContain('nine')
  }, 120_000)
})

describe('private chats', () => {
  it('are offered for a message with a private line and for matching private notes, and can be released', async () => {
    const safe = '---\nvisibility: private\n---\n\n# The safe\n\n- The safe opens with 9-1-7.\n'
    const {
      page,
      say,
      composer: field,
    } = await openTestPage({ files: { 'MEMORY.md': '# Long-term memory\n', 'notes/safe.md': safe } })
    const send = async (text: string) => {
      await say(text)
    }
    await send('Hello\nThe safe opens with 9-1-7.')
    const dialog = page.getByRole('dialog', { name: 'A line of this message is private' })
    await dialog.waitFor()
    const makePrivate = dialog.getByRole('button', { name: 'Make this chat private' })
    await until(() => makePrivate.evaluate((button) => button === document.activeElement))
    await dialog.getByRole('button', { name: 'Remove the line' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('Hello')
    await send('Which number opens the safe?')
    await page.getByText('1 private note matches').waitFor()
    await page.getByRole('button', { name: 'Continue in a private chat' }).click()
    await page.getByRole('note').filter({ hasText: 'Private:' }).waitFor()
    await page.getByText('The safe opens with 9-1-7.').first().waitFor()
    await page.getByRole('button', { name: 'Chat actions' }).click()
    await page.getByRole('menuitem', { name: 'Release…' }).click()
    const release = page.getByRole('dialog', { name: 'Release this private chat?' })
    await release.getByText('1 private line is in it').waitFor()
    await release.getByRole('button', { name: 'Release' }).click()
    await page.getByText('The chat is open now').waitFor()
    await page.getByRole('note').filter({ hasText: 'Private:' }).waitFor({ state: 'detached' })
  })

  it('include chats with text that becomes private, whose lines can be marked, and those that start with the lock', async () => {
    const plan = '# Plan\n\n- The heron sails on Friday.\n'
    const { page, say, ...server } = await openTestPage({
      files: { 'MEMORY.md': '# Long-term memory\n', 'notes/plan.md': plan },
    })
    for (const text of ['The heron sails on Friday.', '/remember Herons carry salt.', '/remember Puffins carry tea.']) {
      await say(text)
      await page.getByText(text.replace('/remember ', '')).first().waitFor()
    }
    const log = async () =>
      Object.values(await textsIn(server.workspace, (path) => /memory\/.*\.md$/.test(path))).join('\n')
    await until(async () => (await log()).includes('tea'))
    await writeFiles(server.workspace, { 'notes/plan.md': plan.replace('Friday.', 'Friday. ^[private]') })
    const madePrivate = page.getByRole('note').filter({ hasText: 'It is private too: The heron sails on Friday.' })
    await madePrivate.waitFor()
    await page.getByRole('button', { name: 'Make them private…' }).click()
    const choice = page.getByRole('dialog', { name: 'Lines that this chat wrote in your notes' })
    await choice.getByRole('checkbox', { name: /tea/ }).uncheck()
    await choice.getByRole('button', { name: 'Make private' }).click()
    await until(async () => visibilityOf(await log()).privateLines.size === 1)
    await page.getByText('1 line that this chat wrote in your notes is open').waitFor()
    await madePrivate.getByRole('button', { name: 'Close' }).click()
    await madePrivate.waitFor({ state: 'detached' })

    // The lock beside the field starts a private chat, which the list marks.
    await page.getByRole('link', { name: 'New chat' }).first().click()
    const lock = page.getByRole('switch', { name: 'Private' })
    await lock.click()
    expect(await lock.getAttribute('aria-checked')).toBe('true')
    await page.getByText('Only models on this machine read this chat').waitFor()
    await say('The narwhal sings at midnight.')
    await page.getByRole('note').filter({ hasText: 'Private:' }).waitFor()
    await page.getByRole('link', { name: 'Private chat The narwhal sings' }).waitFor()
  })
})

const aboutLisa = {
  'MEMORY.md': '# Long-term memory\n\n## People\n\n- Lisa Kessler has diabetes.\n- Anna leads design.\n',
  'memory/2026-11-02.md':
    '# 2026-11-02\n\n## 09:00 - Call\n\nLisa Kessler called about the results.\nThe plumber came.\n',
  'notes/lisa-kessler.md': '# A talk\n\nNothing else.\n',
  'notes/seeds.md': '# Garden\n\nLisa Kessler gave us seeds.\n',
  'notes/doctor.md': '# Doctor\n\nThe insulin pump for Lisa was ordered on Monday.\n',
}

describe('permanent deletion', () => {
  it('finds, confirms and erases, but keeps excluded notes, also in a narrow window', async () => {
    const config =
      'agents:\n  defaults: { memory: { embedding: { provider: builtin } } }\n  list: [{ id: main, workspace: "{{workspace}}" }]\n'
    const { page, ...server } = await openTestPage({ files: aboutLisa, config })
    const oldHistory = join(server.home, 'history/main/repository.git')
    await mkdir(oldHistory, { recursive: true })
    await writeFile(join(oldHistory, 'HEAD'), 'x'.repeat(2000))
    const read = (path: string) => readFile(join(server.workspace, path), 'utf8')
    await page.getByRole('link', { name: 'Suggestions' }).waitFor()
    await page.keyboard.press('Control+K')
    await page.getByPlaceholder('Type a command').fill('delete permanently')
    await page.keyboard.press('Enter')
    const view = page.getByTestId('forget')
    await view.getByRole('textbox').fill('Lisa Kessler')
    await page.keyboard.press('Enter')
    await view.getByRole('heading', { name: 'Notes' }).waitFor()
    await view.getByRole('heading', { name: 'Not deleted' }).waitFor()
    expect(await view.getByRole('region', { name: 'Old histories' }).innerText()).toMatch(
      /history\/main\/repository\.git\s+May contain the text\s+2\skB/,
    )

    await page.setViewportSize({ width: 360, height: 740 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false)
    await page.setViewportSize({ width: 1440, height: 900 })

    await view.getByRole('checkbox', { name: 'notes/seeds.md' }).uncheck()
    await view.getByText('insulin pump').click()
    await view.getByRole('button', { name: 'Delete everywhere' }).click()
    const deletesOldHistory = page.getByRole('checkbox', { name: 'Also delete the old histories completely' })
    expect(await deletesOldHistory.isChecked()).toBe(false)
    await deletesOldHistory.check()
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    const done = view.getByTestId('forgotten')
    await done.getByText('Remaining places').waitFor({ timeout: 30_000 })
    expect(await done.innerText()).toContain('notes/seeds.md')
    expect(existsSync(oldHistory)).toBe(false)
    expect(await read('MEMORY.md')).toBe('# Long-term memory\n\n## People\n\n- Anna leads design.\n')
    expect(await read('notes/doctor.md')).toBe('# Doctor\n\n')
    await expect(read('notes/lisa-kessler.md')).rejects.toThrow('ENOENT')
    expect(await read('notes/seeds.md')).toBe(aboutLisa['notes/seeds.md'])
    // The memory reopens after the deletion.
    await visit(page, '/file/memory/2026-11-02.md')
    await page.getByText('The plumber came.').first().waitFor()
  }, 120_000)
})
