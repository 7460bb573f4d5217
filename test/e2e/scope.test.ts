import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage, visit } from '../support/browser.ts'
import { connect } from '../support/client.ts'
import { until } from '../support/folder.ts'

afterAll(closeBrowser)

const files = {
  'AGENTS.md': '# Rules\n\nNever feed the walrus.\n',
  'memory/2026-11-10.md': '# 2026-11-10\n\n## 09:00 - Walrus\nThe walrus was weighed: 900 kilograms of walrus.\n',
  'memory/2024-05-12.md': '# 2024-05-12\n\n## 10:00 - Walrus\nThe walrus moved into the harbour.\n',
  'projects/zoo.md': '# Zoo\n\nThe walrus enclosure is a draft by Anna.\n',
}

async function openView(memory = '') {
  const config = `interface: { locale: en }\nagents:\n  list:\n    - { id: main, workspace: "{{workspace}}"${memory} }\n`
  const server = await openTestServer({ files, config, now: () => new Date(2026, 10, 18, 12) })
  const client = await connect(server.url)
  await client.search.settle({ agent: 'main' })
  const page = await openPage()
  await page.goto(server.url)
  await page.getByRole('navigation').first().waitFor()
  const search = async (query: string, why = '') => {
    const parameters = new URLSearchParams({ q: query, ...(why ? { why } : {}) })
    await visit(page, `/inspect/found?${parameters}`)
    await page.getByTestId('candidate').first().waitFor()
  }
  const returned = () =>
    page
      .locator('[data-testid=candidate][data-verdict=returned]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-place')?.split(':')[0] ?? ''))
  const chip = (text: string) => page.getByTestId('condition').filter({ hasText: text })
  return { ...server, client, page, search, returned, chip }
}

describe('query conditions', () => {
  it('are chips that can be disabled and enabled one by one', async () => {
    const { page, search, returned, chip } = await openView()
    await search('walrus in:2024-05 last week')
    expect(await returned()).toEqual(['memory/2024-05-12.md'])
    expect(await page.getByTestId('condition').count()).toBe(2)
    expect(await chip('in:2024-05').innerText()).toContain('2024-05-01 – 2024-05-31')
    await chip('in:2024-05').getByRole('button').click()
    await until(async () => (await returned())[0] === 'memory/2026-11-10.md')
    expect(await returned()).toContain('memory/2024-05-12.md')
    expect(await chip('in:2024-05').getAttribute('data-off')).toBe('true')
    // The condition stays off while the user types.
    await page.getByRole('textbox', { name: 'Question' }).fill('walrus in:2024-05 last week harbour')
    await until(async () => (await returned())[0] === 'memory/2024-05-12.md')
    expect(await chip('in:2024-05').getAttribute('data-off')).toBe('true')
    await chip('in:2024-05').getByRole('button').click()
    await until(async () => (await returned()).join() === 'memory/2024-05-12.md')
  })

  it('are named if they keep a line out', async () => {
    const { page, search } = await openView()
    await search('walrus in:2024-05', 'memory/2026-11-10.md:4')
    const why = page.getByTestId('why')
    await why.getByText('A filter of the query keeps it out: in:2024-05.').waitFor()
    expect(await why.getAttribute('data-reason')).toBe('outsideFilter')
  })

  it('raise the score by a shown amount, and are explained if invalid', async () => {
    const { page, search, chip, returned } = await openView()
    await search('walrus last week')
    const row = page.getByTestId('candidate').first()
    expect(await row.getAttribute('data-place')).toMatch(/^memory\/2026-11-10/)
    await row.getByRole('button').first().click()
    await row.getByRole('button', { name: /^kind of text/ }).click()
    const feature = row.getByTestId('feature').filter({ hasText: 'date in the query' })
    expect(await feature.innerText()).toMatch(/\+\d\.\d\d$/)

    await page.getByRole('textbox', { name: 'Question' }).fill('walrus after:someday')
    expect(await chip('after:someday').innerText()).toMatch(/is not a date/)
    expect((await returned()).length).toBeGreaterThan(0)
  })
})

describe('unsearched files', () => {
  it('are marked in the tree and above the file, with the reason', async () => {
    const { page } = await openView()
    await page.getByRole('link', { name: /^Notes/ }).click()
    const row = page.getByRole('link', { name: /AGENTS\.md/ })
    expect(await row.getByTestId('unsearched').getAttribute('aria-label')).toMatch(
      /every request already includes this file/,
    )
    expect(
      await page
        .getByRole('link', { name: /^MEMORY\.md/ })
        .getByTestId('unsearched')
        .count(),
    ).toBe(0)
    await row.click()
    expect(await page.getByTestId('unsearched-note').innerText()).toMatch(/every request already includes this file/)
  })

  it('lists skipped symbolic links below the results', async () => {
    const { page, search, workspace } = await openView()
    await search('walrus')
    expect(await page.getByTestId('passed-links').count()).toBe(0)
    await symlink(join(workspace, 'projects'), join(workspace, 'LinkDir'))
    await symlink('projects/zoo.md', join(workspace, 'Symlink.md'))
    await search('walrus')
    const told = page.getByTestId('passed-links')
    await told.waitFor()
    expect(await told.innerText()).toMatch(/^Skipped 2 links to other locations\. .*: LinkDir, Symlink\.md$/)
  })

  it('marks a note outside the scope and includes it with one click', async () => {
    const { page, search, client } = await openView(', memory: { scope: memory }')
    await search('walrus', 'projects/zoo.md:3')
    const note = page.getByTestId('why').getByTestId('unsearched-note')
    expect(await note.getAttribute('data-reason')).toBe('scope')
    expect(await page.getByTestId('unsearched-count').innerText()).toMatch(/1 outside memory\//)
    await note.getByRole('button', { name: 'Search all notes' }).click()
    await until(async () => (await page.getByTestId('why').getAttribute('data-reason')) === 'returned')
    expect(await client.search.scope({ agent: 'main' })).toBe('workspace')
    await page.getByText('Search now includes all notes of the workspace.').waitFor()
  })
})
