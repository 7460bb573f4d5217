import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { openTestPage } from '../support/test-page.ts'
import { connect } from '../support/client.ts'
import { enter, openPage, undoInToast } from '../support/browser.ts'
import { isDraft } from '../support/drafts.ts'
import { until } from '../support/folder.ts'

/**
 * Delays the answers to saves, from the next load of the page.
 * @returns `isTextRead` is true when the page has received a file with the text, as JSON
 */
async function holdSaveAnswer(page: Page, text: string) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  let isRead = false
  await page.routeWebSocket(/./, (socket) => {
    socket.connectToServer().onMessage(async (message) => {
      const received = message.toString()
      if (received.includes('"merged"')) await promise
      else isRead ||= received.includes(text) && received.includes('"hash"')
      socket.send(message)
    })
  })
  return { release, isTextRead: () => isRead }
}

describe('files', () => {
  it('creates, duplicates, moves, deletes with undo, and filters by name', async () => {
    const files = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`notes/n${index}.md`, `# ${index}\n`]))
    const { page, onDisk } = await openTestPage({ files })
    const nav = page.getByRole('navigation')
    await nav.getByRole('link', { name: /^Notes/ }).click()
    await nav.getByRole('button', { name: 'New file' }).click()
    const field = page.getByRole('textbox', { name: 'Path in workspace' })
    await field.fill('memory/计划 plan')
    await field.press('Enter')
    await page.locator('.monaco-editor .view-lines').waitFor()
    // `fill` needs the focus, which the dialog has until it has closed.
    await field.waitFor({ state: 'detached' })
    expect(await onDisk('memory/计划 plan.md')).toBe('')
    const filter = nav.getByRole('searchbox', { name: 'Filter files' })
    await filter.fill('计划')
    const row = nav.getByRole('link', { name: /计划 plan/ })
    await row.waitFor()
    const menu = async (path: string, item: string) => {
      await nav.getByRole('button', { name: `Actions for ${path}` }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await menu('memory/计划 plan.md', 'Rename or move')
    await field.fill('notes/moved.md')
    await field.press('Enter')
    await page.waitForURL(/moved\.md/)
    await field.waitFor({ state: 'detached' })
    await filter.fill('moved')
    await menu('notes/moved.md', 'Duplicate')
    await page.waitForURL(/moved%202\.md/)
    await nav.getByRole('link', { name: /moved 2/ }).waitFor()
    await menu('notes/moved 2.md', 'Delete')
    await nav.getByRole('link', { name: /moved 2/ }).waitFor({ state: 'detached' })
    await undoInToast(page)
    await nav.getByRole('link', { name: /moved 2/ }).waitFor()
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(['# dropped\n'], 'dropped.md', { type: 'text/markdown' }))
      data.items.add(new File(['x'], 'x.zip', { type: 'application/zip' }))
      const target = document.querySelector('section[aria-label=Notes]')
      target?.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    })
    await page.getByText('1 file added.').waitFor()
    expect(await onDisk('memory/dropped.md')).toBe('# dropped\n')
  })

  it('continues lists, toggles tasks, aligns tables, completes and opens links', async () => {
    const { page, open, type, onDisk } = await openTestPage({
      files: { 'memory/a.md': '# A\n\n', 'memory/people.md': '# People\n' },
    })
    await open('memory/a.md')
    await type('1. one\ntwo\n\n\n- [ ] task\nmore\n')
    // The first Enter ends the list at an empty item; the second adds an empty line.
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.type('| a | long name |\n|--|:-:|\n| 数据 | x |')
    await page.keyboard.press('Alt+Shift+F')
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Enter')
    await page.keyboard.type('see [[peo')
    await page.getByRole('option', { name: 'people' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await onDisk('memory/a.md')).toBe(
      '# A\n\n1. one\n2. two\n\n- [ ] task\n- [ ] more\n\n| a    | long name |\n| ---- | :-------: |\n| 数据 |     x     |\nsee [[people]]',
    )
    await page.getByRole('button', { name: 'Preview' }).click()
    const link = page.locator('.detected-link').first()
    await link.hover()
    await page.keyboard.down('Control')
    // No `click()`: the editor closes before Playwright could report the end of one.
    await page.mouse.down()
    await page.mouse.up()
    await page.keyboard.up('Control')
    await page.waitForURL(/people\.md/)
  })

  it('keeps the caret in place when another program appends to the file, and both sides of a conflict', async () => {
    const { page, open, type, onDisk, workspace } = await openTestPage({
      files: { 'memory/a.md': 'one\n', 'memory/b.md': 'one\ntwo' },
    })
    await open('memory/a.md')
    await type('two')
    await page.keyboard.press('Control+s')
    await until(async () => (await onDisk('memory/a.md')) === 'one\ntwo')
    await writeFile(join(workspace, 'memory/a.md'), 'one\ntwo\n- outside\n')
    await page.locator('.view-lines').getByText('outside').waitFor()
    await page.keyboard.type(' three')
    await page.keyboard.press('Control+s')
    await until(async () => (await onDisk('memory/a.md')) === 'one\ntwo three\n- outside\n')

    // A conflict shows both sides; the user can keep both.
    await open('memory/b.md')
    await type(' of mine')
    await writeFile(join(workspace, 'memory/b.md'), 'one\ntwo of theirs')
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Keep both' }).waitFor()
    await page.getByTestId('diff-view').getByText('of theirs').first().waitFor()
    await page.getByRole('button', { name: 'Keep both' }).click()
    await until(async () => (await onDisk('memory/b.md')).includes('of mine'))
    expect(await onDisk('memory/b.md')).toBe('one\ntwo of mine\ntwo of theirs')
  })

  it('keeps an undo and a change by another program during a save whose answer arrives late', async () => {
    const { page, open, type, onDisk, workspace } = await openTestPage({
      files: { 'memory/a.md': 'one\n', 'memory/b.md': 'one\n' },
    })
    const answer = await holdSaveAnswer(page, 'one\\ntyped')
    await page.reload()
    await open('memory/a.md')
    await type('typed')
    await page.keyboard.press('Control+s')
    await until(async () => (await onDisk('memory/a.md')) === 'one\ntyped')
    await page.keyboard.press('Control+z')
    await until(answer.isTextRead)
    // Time in which the page could show the text again.
    await page.waitForTimeout(300)
    answer.release()
    await page.getByText('Unsaved').waitFor()
    expect(await page.locator('.view-lines').innerText()).not.toContain('typed')

    // A change by another program arrives before the answer to a save.
    const next = await holdSaveAnswer(page, '- outside')
    await page.reload()
    await open('memory/b.md')
    await type('two')
    await page.keyboard.press('Control+s')
    await until(async () => (await onDisk('memory/b.md')) === 'one\ntwo')
    await writeFile(join(workspace, 'memory/b.md'), 'one\ntwo\n- outside\n')
    await until(next.isTextRead)
    await page.waitForTimeout(300)
    next.release()
    await page.locator('.view-lines').getByText('outside').waitFor({ timeout: 5000 })
  })

  it('restores typed text after a crash of the window, and can discard it', async () => {
    const { page, open, type, onDisk, url, home } = await openTestPage({ files: { 'memory/a.md': 'one\n' } })
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('autosave: off')
    await page.getByRole('option', { name: 'Autosave: Off', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await until(async () => (await readFile(join(home, 'config.yaml'), 'utf8')).includes('autosave: off'))
    await open('memory/a.md')
    await type('typed and not saved')
    await until(() => isDraft(home, 'typed and not saved'))
    await page.goto('about:blank')
    expect(await onDisk('memory/a.md')).toBe('one\n')
    await page.goto(new URL('/file/memory/a.md', url).href)
    await page.getByText('Your unsaved changes to this file were restored').waitFor()
    await page.locator('.view-lines').getByText('typed and not saved').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.locator('.view-lines').getByText('typed and not saved').waitFor({ state: 'detached' })
    await page.reload()
    await page.locator('.view-lines').getByText('one').waitFor()
    expect(await page.getByText('Your unsaved changes to this file').count()).toBe(0)
  })
})

describe('write-protected file', () => {
  it('is read-only until its permissions change', async () => {
    const server = await openTestServer({ files: { 'notes/kept.md': '# Kept\n\nAs it is.\n' } })
    const file = join(server.workspace, 'notes/kept.md')
    await chmod(file, 0o444)
    const page = await openPage({ locale: 'zh-CN' })
    await enter(page, server.url, '/file/notes/kept.md')
    await page.getByRole('note').filter({ hasText: '此文件受写保护。' }).waitFor()
    await page.getByText('As it is.').waitFor()
    expect(await page.locator('.monaco-editor').count()).toBe(0)
    await chmod(file, 0o644)
    await page.locator('.monaco-editor .view-lines').waitFor()
    // The editor stays open, and keeps text that cannot be saved.
    await page.locator('.monaco-editor .view-lines').click()
    await page.keyboard.type('typed')
    await chmod(file, 0o444)
    await writeFile(join(server.workspace, 'notes/new.md'), '# New\n')
    await page.getByRole('link', { name: /^new/ }).waitFor()
    await page.locator('.view-lines').getByText('typed').waitFor()
  })
})

describe('file moved or deleted elsewhere', () => {
  it('warns, keeps the typed text, and writes nothing without a decision', async () => {
    const { page, open, type, onDisk, url, workspace } = await openTestPage({
      files: { 'memory/a.md': 'one\n', 'memory/b.md': 'two\n', 'memory/c.md': 'three\n' },
    })
    const client = await connect(url)
    const files = async () => (await client.workspace.list({ agent: 'main' })).map(({ path }) => path)
    await open('memory/a.md')
    await type('typed')
    await client.links.move({ agent: 'main', from: 'memory/a.md', to: 'memory/moved.md' })
    await page.getByText('was moved to memory/moved.md').waitFor()
    await page.getByText('not on disk').waitFor()
    // The save shortcut must not create a file at the old path: it focuses the button that opens the new one.
    await page.keyboard.press('Control+s')
    await until(() =>
      page.getByRole('button', { name: 'Open new location' }).evaluate((button) => button === document.activeElement),
    )
    expect(await files()).not.toContain('memory/a.md')
    await page.keyboard.press('Enter')
    await page.getByText('Your unsaved changes to this file were restored').waitFor()
    await page.keyboard.press('Control+s')
    await until(async () => (await onDisk('memory/moved.md')) === 'one\ntyped')
    expect(await files()).not.toContain('memory/a.md')

    await open('memory/b.md')
    await type('more')
    await client.workspace.remove({ agent: 'main', path: 'memory/b.md' })
    await page.getByText('This file was deleted elsewhere').waitFor()
    await page.getByRole('link', { name: 'Notes' }).first().click()
    await page.getByRole('link', { name: 'Changes' }).first().click()
    await page.getByText('memory/b.md no longer exists').waitFor()
    expect(await files()).not.toContain('memory/b.md')
    await page.reload()
    await page.goto(new URL('/file/memory/b.md', url).href)
    await page.getByText('Your unsaved text is still available').waitFor()
    await page.getByRole('button', { name: 'Open unsaved text' }).click()
    await page.locator('.view-lines').getByText('more').waitFor()
    await page.getByText('This file was deleted elsewhere').waitFor()
    await page.keyboard.press('Control+s')
    await until(async () => (await files()).includes('memory/b.md') && (await onDisk('memory/b.md')) === 'two\nmore')

    // Another program renames a file. The history knows only files that it has recorded.
    await open('memory/c.md')
    await type('typed')
    await until(async () => (await client.history.timeline({ agent: 'main', path: 'memory/c.md' })).length > 0)
    await rename(join(workspace, 'memory/c.md'), join(workspace, 'memory/renamed elsewhere.md'))
    await page.getByText('was moved to memory/renamed elsewhere.md').waitFor()
    await page.keyboard.press('Control+s')
    await page.keyboard.press('Enter')
    await page.getByText('Your unsaved changes to this file were restored').waitFor()
    await page.keyboard.press('Control+s')
    await until(async () => (await onDisk('memory/renamed elsewhere.md')) === 'three\ntyped')

    // A file without typed changes is never recreated.
    await open('memory/b.md')
    await page.getByText('Saved', { exact: true }).waitFor()
    await writeFile(join(workspace, 'memory/b.md'), 'two\nmore\nagain\n')
    await page.locator('.view-lines').getByText('again').waitFor()
    await rm(join(workspace, 'memory/b.md'))
    await page.getByText('This file was deleted elsewhere').waitFor()
    await page.getByRole('button', { name: 'Close without saving' }).click()
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    expect(await files()).not.toContain('memory/b.md')
  })
})

describe('quick capture', () => {
  it('saves a note, finds it at once, and undoes the change again', async () => {
    const { page, onDisk, home } = await openTestPage(
      { files: { 'MEMORY.md': '# Memory\n\n## Decisions\n\n- one\n\n## People\n' } },
      { colorScheme: 'dark', locale: 'zh-CN' },
    )
    await page.locator('textarea').first().waitFor()
    await page.keyboard.press('Control+Shift+Space')
    const card = page.getByTestId('capture')
    const field = card.getByRole('textbox')
    await field.fill('The zeppelin lands at noon 飞艇')
    await field.press('Enter')
    await card.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Shift+f')
    await page.getByRole('main').getByRole('combobox').fill('zeppelin noon')
    await page.getByTestId('result').first().waitFor()
    await page.locator('[data-sonner-toast]').getByRole('button').first().click()
    await page.getByTestId('result').first().waitFor({ state: 'detached' })

    await page.keyboard.press('Control+Shift+Space')
    await card.getByRole('combobox').last().selectOption('Decisions')
    await field.fill('two\nwith more')
    await field.press('Control+Enter')
    await until(async () => (await field.inputValue()) === '')
    expect(await onDisk('MEMORY.md')).toBe('# Memory\n\n## Decisions\n\n- one\n- two\n  with more\n\n## People\n')
    await field.fill('not yet')
    await until(() => isDraft(home, 'not yet'))
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Shift+Space')
    await until(async () => (await field.inputValue()) === 'not yet')
  })

  it('searches for or remembers text selected in editor and preview', async () => {
    const { page, open, type, onDisk } = await openTestPage({
      files: { 'memory/a.md': '# Trip\n\nSee [[Ann]] about Lisbon.\n', 'people/Ann.md': '# Ann\n\nLives in Lisbon.\n' },
    })
    await open('memory/a.md')
    await type('the tiles of Lisbon')
    await page.keyboard.press('Shift+Home')
    const actions = page.getByRole('toolbar', { name: 'Selected text' })
    await actions.getByRole('button', { name: 'Remember this' }).click()
    const card = page.getByTestId('capture')
    await until(async () => (await card.getByRole('textbox').inputValue()) === 'the tiles of Lisbon')
    await card.getByRole('textbox').press('Enter')
    await page.locator('[data-sonner-toast]').getByText('Saved to').waitFor()
    await page.getByRole('button', { name: 'Preview' }).click()
    const preview = page.locator('.prose')
    await preview.getByText('about Lisbon').dblclick({ position: { x: 14, y: 10 } })
    await actions.getByRole('button', { name: 'Find related' }).waitFor()
    await page.keyboard.press('Escape')
    await actions.waitFor({ state: 'detached' })
    await preview.getByRole('link', { name: 'Ann' }).click()
    await page.waitForURL(/people\/Ann\.md/)
    await page
      .locator('.view-lines')
      .getByText('Lives in Lisbon')
      .dblclick({ position: { x: 80, y: 8 } })
    await actions.getByRole('button', { name: 'Find related' }).click()
    await page.waitForURL(/search\?q=/)
    await page.getByTestId('result').filter({ hasText: 'Lisbon' }).first().waitFor()
    expect(await onDisk('memory/a.md')).toContain('the tiles of Lisbon')
  })

  it('offers to make a password private, also after /remember private in an open chat', async () => {
    const { page, composer, workspace } = await openTestPage()
    await composer.waitFor()
    await page.keyboard.press('Control+Shift+Space')
    const card = page.getByTestId('capture')
    const field = card.getByRole('textbox')
    await field.fill('The hall has Wi-Fi')
    expect(await card.getByRole('status').count()).toBe(0)
    await field.fill('Wi-Fi password: hunter2')
    const offer = card.getByRole('status')
    await offer.getByText('This looks like a password.').waitFor()
    await offer.getByRole('button', { name: 'Make it private' }).click()
    await offer.waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('Wi-Fi password: hunter2 ^[private]')
    await field.press('Enter')
    await card.waitFor({ state: 'detached' })
    const [log = ''] = await readdir(join(workspace, 'memory'))
    const logged = () => readFile(join(workspace, 'memory', log), 'utf8')
    expect(await logged()).toMatch(/\n- \d\d:\d\d Wi-Fi password: hunter2 \^\[private\]\n/)

    const offered = page.getByText('This looks like a password.')
    await composer.fill('/remember Garage password: rabbit7\nThe hall is warm')
    await offered.waitFor()
    await page.getByRole('switch', { name: 'Private' }).click()
    await offered.waitFor({ state: 'detached' })
    await page.getByRole('switch', { name: 'Private' }).click()
    await page.getByRole('button', { name: 'Make it private' }).click()
    await offered.waitFor({ state: 'detached' })
    expect(await composer.inputValue()).toBe('/remember Garage password: rabbit7\nThe hall is warm ^[private]')
    await composer.press('Enter')
    await until(async () => /rabbit7\n *The hall is warm \^\[private\]\n/.test(await logged()))
  })

  it('asks before it saves another program’s note, on a page without the frame', async () => {
    const { page } = await openTestPage({}, {}, '/capture?text=from%20elsewhere')
    await page.getByText('Another program wants to save this to memory', { exact: false }).waitFor()
    expect(await page.getByRole('textbox').inputValue()).toBe('from elsewhere')
    expect(await page.getByRole('navigation').count()).toBe(0)
  })
})

describe('find and replace', () => {
  it('finds while typing, replaces in one file or all, and undoes it', async () => {
    const { page, onDisk } = await openTestPage({
      files: { 'memory/a.md': 'The cat.\nA cat again.\n', 'memory/b.md': 'cat 猫\n' },
    })
    await page.locator('textarea').first().waitFor()
    await page.keyboard.press('Control+Shift+h')
    await page.getByRole('textbox', { name: 'Find' }).fill('cat')
    await page.getByText('3 matches in 2 files').waitFor()
    await page.getByRole('textbox', { name: 'Replace with' }).fill('dog')
    await page.getByRole('button', { name: 'Replace in memory/b.md' }).click()
    await until(async () => (await onDisk('memory/b.md')) === 'dog 猫\n')
    expect(await onDisk('memory/a.md')).toContain('cat')
    await page.getByText('2 matches in 1 file').waitFor()
    await page.getByRole('button', { name: 'Replace all' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Replace 2 matches in 1 file?').waitFor()
    await dialog.getByRole('button', { name: 'Replace' }).click()
    await until(async () => (await onDisk('memory/a.md')) === 'The dog.\nA dog again.\n')
    await undoInToast(page, '2 matches replaced')
    await until(async () => (await onDisk('memory/a.md')) === 'The cat.\nA cat again.\n')
    // The toast closes, but the undo stays available in Changes.
    await page.getByRole('link', { name: /^Changes/ }).click()
    const whole = page.getByRole('region', {
      name: 'Moves, tag renames and replacements that you can undo',
    })
    await whole.getByText('1 match replaced in 1 file.').waitFor()
    await whole.getByRole('button', { name: 'Undo replacement: cat' }).click()
    await until(async () => (await onDisk('memory/b.md')) === 'cat 猫\n')
    await whole.waitFor({ state: 'detached' })
  })
})

describe('disk errors', () => {
  it('keeps the text in editor and draft, and saves it when the disk is back', async () => {
    const { page, open, type, onDisk, workspace, home } = await openTestPage({ files: { 'memory/a.md': 'one\n' } })
    await open('memory/a.md')
    // Outside of the workspace: within it, the editor would follow the move.
    await rename(join(workspace, 'memory'), join(home, 'away'))
    await writeFile(join(workspace, 'memory'), 'no folder any more')
    await type('two')
    await page.keyboard.press('Control+s')
    // The file counts as deleted, so the editor asks before saving.
    await page.getByRole('button', { name: /^(Keep mine|Save as new file)$/ }).click()
    await page.getByText('could not be saved', { exact: false }).waitFor()
    // The editor has the full text, and typing continues there.
    await page.locator('.view-lines').getByText('two').waitFor()
    await type(' three')
    await page.locator('.view-lines').getByText('two three').waitFor()
    await until(() => isDraft(home, 'two three'))
    await rm(join(workspace, 'memory'))
    await rename(join(home, 'away'), join(workspace, 'memory'))
    await page.locator('.view-lines').click()
    await page.keyboard.press('Control+s')
    // The editor asks before overwriting the file that exists again, unless it has read the file since.
    const keepMine = page.getByRole('button', { name: 'Keep mine' })
    await until(async () => {
      if (await keepMine.isVisible()) await keepMine.click({ timeout: 1000 }).catch(() => undefined)
      return (await onDisk('memory/a.md')) === 'one\ntwo three'
    })
  })
})
