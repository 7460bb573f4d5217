import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { untouchedConfig } from '../support/app.ts'
import { visit } from '../support/browser.ts'
import { openTestPage } from '../support/test-page.ts'
import { connect } from '../support/client.ts'
import { until } from '../support/folder.ts'

const files = {
  'AGENTS.md': '# Rules\n\nNever feed the walrus.\n',
  'memory/2026-11-10.md': '# 2026-11-10\n\n## 09:00 - Walrus\nThe walrus was weighed: 900 kilograms of walrus.\n',
  'memory/2024-05-12.md': '# 2024-05-12\n\n## 10:00 - Walrus\nThe walrus moved into the harbour.\n',
  'projects/zoo.md': '# Zoo\n\nThe walrus enclosure is a draft by Anna.\n',
}

async function openView(memory = '') {
  const config = `interface: { locale: en }\nagents:\n  list:\n    - { id: main, workspace: "{{workspace}}"${memory} }\n`
  const { page, ...server } = await openTestPage({ files, config, now: () => new Date(2026, 10, 18, 12) })
  const client = await connect(server.url)
  await client.search.settle({ agent: 'main' })
  await page.getByRole('navigation').first().waitFor()
  const search = async (query: string, why = '') => {
    // An open view keeps the line that it explains.
    await visit(page, '/changes')
    await page.getByTestId('candidate').first().waitFor({ state: 'detached' })
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
  it('say what they keep out and raise, and are chips that can be disabled one by one', async () => {
    const { page, search, returned, chip } = await openView()
    await search('walrus in:2024-05', 'memory/2026-11-10.md:4')
    const why = page.getByTestId('why')
    await why.getByText('A filter of the query keeps it out: in:2024-05.').waitFor()
    expect(await why.getAttribute('data-reason')).toBe('outsideFilter')

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

    // They raise the score by a shown amount, and are explained if invalid.
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
  it('are marked in the tree and above the file, and listed below the results if they are links', async () => {
    const { page, search, workspace } = await openView()
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

    // Skipped symbolic links are listed below the results.
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
    expect(await client.search.setScope({ agent: 'main', scope: 'workspace' }), 'the previous value').toBe('workspace')
    await page.getByText('Search now includes all notes of the workspace.').waitFor()
  })
})

const household = {
  'memory/family.md':
    '# Family\n\n- Our daughter starts kindergarten in September.\n- Dad retired from the railway after thirty-eight years.\n',
  'memory/money.md':
    '# Money\n\n- Put aside three hundred each month for the trip to Japan.\n- The mortgage is fixed until 2031.\n',
  'memory/school.md': '# Plans\n\n- Buy a satchel for our little girl’s preschool.\n',
  'memory/health.md':
    '# Health\n\n- The dentist will pull the wisdom tooth in March.\n\n- Blood pressure was 138 over 88.\n',
  'memory/boats.md': '# Boats\n\n- The dinghy has a hole below the waterline.\n',
  'memory/home.md': '# Home\n\n- The boiler is serviced every October.\n- 房东说一月起房租每个月多收三百块。\n',
}

describe('built-in embeddings', () => {
  it('find a note by a paraphrase and show which of its words matched', async () => {
    const { page, ...server } = await openTestPage({ files: household, config: untouchedConfig }, {}, '/inspect/found')
    const client = await connect(server.url)
    await until(async () => {
      const { units, embedded } = await client.search.status({ agent: 'main' })
      return units > 2 && embedded === units
    }, 30_000)
    await page.getByRole('main').getByRole('textbox').fill('When does our little girl begin preschool?')
    const found = page.getByTestId('candidate').filter({ hasText: 'starts kindergarten' })
    await found.locator('button[aria-expanded=false]').click()
    const words = page.getByRole('list', { name: 'What each word gives to the similarity' })
    await words.waitFor()
    await words.getByText('preschool ≈ kindergarten').waitFor()
    const parts = await words.locator('[data-part=share]').allTextContents()
    const cosine = /cosine (-?[\d.]+)/.exec((await found.textContent()) ?? '')?.[1]
    expect(parts.reduce((sum, part) => sum + Number(part), 0)).toBeCloseTo(Number(cosine), 3)
    await page.goto(new URL('/file/memory/family.md', server.url).href)
    await page.getByRole('button', { name: 'Links', exact: true }).click()
    await page.getByRole('region', { name: 'Similar notes' }).getByRole('link', { name: 'satchel' }).click()
    await page.waitForURL(/school\.md#L3/)
  })
})

const loginFixed = { 'memory/2026-11-10.md': '# 2026-11-10\n\n## 09:00 - 修好了登录页\n修好了登录页\n' }
const now = () => new Date(2026, 10, 18, 10, 30)

describe('offline model in a browser', () => {
  it('keeps a statement with one click, with the date that it shows before, and takes it back', async () => {
    const config = 'agents: { list: [{ id: main, workspace: "{{workspace}}" }] }\n'
    const { page, say, composer, workspace } = await openTestPage({ files: loginFixed, now, config }, { locale: 'en' })
    const log = () => readFile(join(workspace, 'memory/2026-11-18.md'), 'utf8').catch(() => '')
    await say('The chimney sweep comes tomorrow at ten.')
    await page.getByText('The chimney sweep comes tomorrow (2026-11-19) at ten.').waitFor()
    expect(await log()).toBe('')
    await page.getByRole('button', { name: 'Keep this' }).click()
    await page.getByRole('button', { name: 'Kept' }).waitFor()
    await expect.poll(log).toContain('- 10:30 The chimney sweep comes tomorrow (2026-11-19) at ten.\n')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('button', { name: 'Kept' }).waitFor()
    await other.close()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(log).not.toContain('chimney')
    await composer.fill('/remember Parcel arrives the day after tomorrow')
    await page.getByText('Saved with this date: Parcel arrives the day after tomorrow (2026-11-20)').waitFor()
  })
})
