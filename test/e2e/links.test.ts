import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { focusForKeys, undoInToast, visit } from '../support/browser.ts'
import { openTestPage } from '../support/test-page.ts'
import { until } from '../support/folder.ts'

const long = Array.from({ length: 80 }, (_, number) => `Line ${number}.`).join('\n\n')

describe('links', () => {
  it('opens headings, creates missing notes, and updates links on rename, with undo', async () => {
    const { page, onDisk: read } = await openTestPage(
      {
        files: {
          'Home.md':
            '# Home\n\nSee [[walrus#In the sea]], [it](trips/Walrus.md), [[Not yet]], [C](C%23%20notes.md#C%23%20too).\n',
          'C# notes.md': '# Languages\n\n## C# too\n\nSharp.\n',
          'trips/Walrus.md': `# Walrus\n\n${long}\n\n## In the sea\n\nIt swims.\n`,
          'trips/other.md': 'The [[Walrus|walrus]] again.\n\n[back](../Home.md)\n',
        },
      },
      {},
      '/file/Home.md',
    )
    const preview = page.getByTestId('preview')
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    // An encoded `%23` is part of the name.
    await preview.getByRole('link', { name: 'C', exact: true }).click()
    await page.waitForURL(/C%23%20notes\.md#L3$/)
    await page.goBack()
    await preview.locator('a.unresolved', { hasText: 'Not yet' }).waitFor()
    expect(await preview.locator('a.unresolved').count()).toBe(1)
    await preview.getByRole('link', { name: 'walrus#In the sea' }).click()
    await page.waitForURL(/trips\/Walrus\.md#L163$/)
    await page.locator('.found-line').waitFor()
    await preview.getByRole('heading', { name: 'In the sea' }).waitFor()

    await page.getByRole('button', { name: 'Links', exact: true }).click()
    const panel = page.getByRole('complementary', { name: 'Links' })
    await panel
      .getByRole('link', { name: /Home\.md:3/ })
      .first()
      .waitFor()

    const nav = page.getByRole('navigation')
    await nav.getByRole('button', { name: 'Actions for trips/Walrus.md' }).click()
    await page.getByRole('menuitem', { name: 'Rename or move' }).click()
    const field = page.getByRole('textbox', { name: 'Path in workspace' })
    await field.fill('animals/Big seal.md')
    await field.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('3 links in 2 notes will be updated').waitFor()
    await dialog.getByText('[it](animals/Big%20seal.md)').waitFor()
    await dialog.getByRole('button', { name: 'Move and update links' }).click()
    await page.waitForURL(/animals\/Big%20seal\.md/)
    expect(await read('Home.md')).toBe(
      '# Home\n\nSee [[Big seal#In the sea]], [it](animals/Big%20seal.md), [[Not yet]], [C](C%23%20notes.md#C%23%20too).\n',
    )
    expect(await read('trips/other.md')).toContain('[[Big seal|walrus]]')
    await undoInToast(page, '3 links updated')
    await until(async () => (await read('trips/other.md').catch(() => '')).includes('[[Walrus|walrus]]'))
    await until(async () => (await read('Home.md')).includes('[[walrus#In the sea]], [it](trips/Walrus.md)'))

    // The command palette opens the list of broken links.
    await page.keyboard.press('Control+K')
    await page.getByPlaceholder('Type a command').fill('broken links')
    await page.keyboard.press('Enter')
    const row = page.getByTestId('broken-link')
    await row.getByText('“Not yet” does not exist.').waitFor()
    await row.getByRole('link', { name: 'Create Not yet.md' }).click()
    await page.getByRole('button', { name: 'Create note' }).click()
    // A dialog that closes moves the focus.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('.monaco-editor .view-lines').click()
    await page.locator('.monaco-editor.focused').waitFor()
    // Enter takes the focused row.
    const suggested = (name: string) => page.locator('.suggest-widget .monaco-list-row.focused', { hasText: name })
    // On a busy machine, Chromium drops the first key after the click.
    const first = page.locator('.monaco-editor .view-lines', { hasText: 'T' })
    await until(async () => {
      await page.keyboard.type('T')
      return first.waitFor({ timeout: 3000 }).then(
        () => true,
        () => false,
      )
    })
    await page.keyboard.type('o [[wal')
    await suggested('Walrus').waitFor()
    await page.keyboard.press('Enter')
    // A wiki link cannot contain this name.
    await page.keyboard.press('End')
    await page.keyboard.type(' and [[C')
    await suggested('C# notes').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+S')
    await expect.poll(() => read('Not yet.md')).toBe('To [[Walrus]] and [C# notes](C%23%20notes.md)')
  })
})

describe('attachments', () => {
  it('stores a pasted or dropped image in the vault’s folder, links and shows it', async () => {
    const { page, ...server } = await openTestPage(
      {
        files: {
          '.obsidian/app.json': '{"attachmentFolderPath":"files","newLinkFormat":"relative"}',
          'notes/Home.md': '# Home\n\n',
        },
      },
      {},
      '/file/notes/Home.md',
    )
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    const editor = page.locator('.monaco-editor').first()
    await editor.click()
    await page.keyboard.press('Control+End')
    const give = (kind: 'paste' | 'drop', name: string) =>
      page.evaluate(
        ([kind, name]) => {
          const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
          const bytes = Uint8Array.from(atob(dot), (character) => character.codePointAt(0) ?? 0)
          const transfer = new DataTransfer()
          transfer.items.add(new File([bytes], name ?? '', { type: 'image/png' }))
          const target = document.querySelector('.monaco-editor .view-lines')
          const box = target?.getBoundingClientRect()
          const place = {
            clientX: (box?.left ?? 0) + 5,
            clientY: (box?.top ?? 0) + 36,
            bubbles: true,
            cancelable: true,
          }
          const event =
            kind === 'paste'
              ? new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })
              : new DragEvent('drop', { dataTransfer: transfer, ...place })
          target?.dispatchEvent(event)
        },
        [kind, name],
      )
    await give('paste', 'dot one.png')
    await page.getByText('files/dot one.png added.').waitFor()
    await page.getByTestId('preview').locator('img').first().waitFor()
    await give('drop', 'image.png')
    await page.getByText(/files\/image-\d{8}-\d{6}\.png added\./).waitFor()
    await page.getByTestId('preview').locator('img').nth(1).waitFor()
    await give('drop', 'program.exe')
    await page.getByText('program.exe has a file type that cannot be shown here', { exact: false }).waitFor()
    await page.keyboard.press('Control+s')
    const text = () => readFile(join(server.workspace, 'notes/Home.md'), 'utf8')
    await until(async () => (await text()).includes('![[../files/dot one.png]]'))
    expect(await text()).toMatch(/!\[\[\.\.\/files\/image-\d{8}-\d{6}\.png\]\]/)
  })
})

describe('tags and properties', () => {
  it('renames a note’s tag by keyboard with undo, and searches for it by click', async () => {
    const { page, ...server } = await openTestPage({
      files: {
        'zoo.md': '---\ntags: [work, work/animals]\nstatus: open\n---\n# Zoo\n\nSee [[harbour]].\n',
        'harbour.md': '---\nstatus: done\n---\n# Harbour\n\nThe old port. #work\n',
      },
    })
    const read = (path: string) => readFile(join(server.workspace, path), 'utf8')
    page.setDefaultTimeout(15_000)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await visit(page, '/file/zoo.md')
    await page.getByRole('button', { name: 'Links', exact: true }).click()
    const panel = page.getByRole('complementary', { name: 'Links' })
    await panel.getByRole('link', { name: '#work/animals' }).waitFor()

    await focusForKeys(panel.getByRole('link', { name: '#work', exact: true }))
    await page.keyboard.press('F2')
    const field = page.getByRole('textbox', { name: 'New name, without #' })
    await field.fill('job')
    await field.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('#work becomes #job in 3 places in 2 notes').waitFor()
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await until(async () => (await read('harbour.md')).endsWith('The old port. #job\n'))
    await until(async () => (await read('zoo.md')).includes('tags: [job, job/animals]'))
    await panel.getByRole('link', { name: '#job', exact: true }).waitFor()
    await undoInToast(page, '#work renamed to #job')
    await until(async () => (await read('zoo.md')).includes('tags: [work, work/animals]'))

    await panel.getByRole('link', { name: '#work', exact: true }).click()
    await page.waitForURL(/q=tag%3Awork$/)
    await page.locator('[data-testid=condition][data-kind=tag]').waitFor()
    const found = page.locator('[data-testid=result]')
    await found.first().waitFor()
    const notes = () => found.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-place')?.split(':')[0]))
    await until(async () => [...new Set(await notes())].sort().join() === 'harbour.md,zoo.md')
    await page.goBack()
    await panel.getByRole('link', { name: 'open' }).click()
    await page.waitForURL(/q=status%3Aopen$/)
    await page.locator('[data-testid=condition][data-kind=property]').waitFor()
  }, 60_000)
})
