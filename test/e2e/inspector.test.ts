import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { focusForKeys, undoInToast, visit } from '../support/browser.ts'
import { openTestPage } from '../support/test-page.ts'
import { connect } from '../support/client.ts'
import { textsIn, until } from '../support/folder.ts'

const everydayNotes = fileURLToPath(new URL('../recall/everyday-en/workspace', import.meta.url))

/** Opens the view of found entries for a memory of a year. */
async function openInspector() {
  const { page, ...server } = await openTestPage({ files: await textsOf(everydayNotes) }, {}, '/inspect/found')
  const client = await connect(server.url)
  await client.search.settle({ agent: 'main' })
  const field = page.getByRole('textbox', { name: 'Question' })
  const settled = () => page.locator('[aria-busy=false]').waitFor()
  const ask = async (query: string) => {
    await field.fill(query)
    await page.waitForURL((url) => url.searchParams.get('q') === query)
    await settled()
  }
  const places = (verdict = '') =>
    page
      .locator(`[data-testid=candidate]${verdict && `[data-verdict=${verdict}]`}`)
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-place')))
  return { ...server, client, page, field, ask, settled, places }
}

async function textsOf(folder: string): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await textsIn(folder)).map(([path, text]) => [relative(folder, path), text]))
}

/** Reads all rows of the table while it scrolls from the top to the end. */
async function readTable(page: Page) {
  return page.getByRole('table', { name: 'Found' }).evaluate(async (table) => {
    const scroller = table.closest('.overflow-y-auto')
    if (!scroller) throw new Error('the table does not scroll')
    const rows = new Map<number, { texts: string[]; place: string; verdict: string; thresholds: string[] }>()
    for (let top = 0; ; top += scroller.clientHeight / 2) {
      scroller.scrollTop = top
      for (let frame = 0; frame < 4; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
      for (const row of table.querySelectorAll<HTMLElement>('[data-index]')) {
        const candidate = row.querySelector<HTMLElement>('[data-testid=candidate]')
        rows.set(Number(row.dataset['index']), {
          texts: Array.from(candidate?.querySelectorAll('[role=cell]') ?? [], (cell) => cell.textContent),
          place: candidate?.dataset['place'] ?? '',
          verdict: candidate?.dataset['verdict'] ?? '',
          thresholds: Array.from(row.querySelectorAll('[data-testid=threshold]'), (line) => line.textContent),
        })
      }
      if (top > scroller.scrollHeight - scroller.clientHeight) break
    }
    scroller.scrollTop = 0
    return [...rows].sort(([one], [other]) => one - other).map(([, row]) => row)
  })
}

/** Returns cells that are cut off, and rows with overlapping cells. */
const findProblems = (page: Page) =>
  page.evaluate(() => {
    const cut = [...document.querySelectorAll('[role=table] [role=columnheader], [role=table] [role=cell]')].filter(
      (cell) => cell.getBoundingClientRect().right > innerWidth || cell.scrollWidth > cell.clientWidth,
    )
    const overlapping = Array.from(document.querySelectorAll('[data-testid=candidate]'), (row) => {
      const boxes = Array.from(row.querySelectorAll('[role=cell]'), (cell) => cell.getBoundingClientRect())
      return boxes.some((one, at) =>
        boxes
          .slice(at + 1)
          .some(
            (other) =>
              one.left < other.right - 1 &&
              other.left < one.right - 1 &&
              one.top < other.bottom - 1 &&
              other.top < one.bottom - 1,
          ),
      )
    })
    return [...cut.map((cell) => cell.textContent), ...overlapping.filter(Boolean)]
  })

describe('found entries', () => {
  it('appear while the user types; settings that are tried out change them as applying does', async () => {
    const { client, page, field, settled, places, home } = await openInspector()
    const query = 'cello practice and the first lesson on a Monday before orchestra'
    await field.click()
    let typedAtFirstResult = query.length
    const firstResult = page.getByTestId('candidate').first().waitFor()
    const results = firstResult.then(async () => (typedAtFirstResult = (await field.inputValue()).length))
    for (const letter of query)
      await page.keyboard.type(letter, { delay: typedAtFirstResult === query.length ? 100 : 0 })
    await results
    expect(typedAtFirstResult).toBeLessThan(query.length)
    await page.waitForURL((url) => url.searchParams.get('q') === query)
    await settled()
    const found = await client.search.query({ agent: 'main', query })
    expect(found.results.length).toBeGreaterThan(1)
    const placesOf = ({ results: all }: typeof found) =>
      all.map(({ path, startLine, endLine }) => `${path}:${startLine}-${endLine}`)
    await until(async () => (await places('returned')).join() === placesOf(found).join())

    const config = () => readFile(join(home, 'config.yaml'), 'utf8')
    const before = await config()
    await page.getByRole('button', { name: 'What if' }).click()
    const panel = page.getByRole('complementary', { name: 'What if' })
    expect(await panel.getByRole('slider', { name: 'Threshold' }).count()).toBe(0)
    await panel.getByRole('slider', { name: 'Maximum results' }).waitFor()
    await settled()
    await panel.getByRole('slider', { name: 'Maximum results' }).fill('1')
    await until(async () => (await places('returned')).length === 1, 20_000)
    await panel.getByRole('checkbox', { name: 'Older entries count less' }).check()
    await panel.getByRole('slider', { name: /Half after/ }).fill('300')
    const moved = page.getByText(/[▲▼]\d|comes in|drops out/)
    await moved.first().waitFor()
    await settled()
    const previewed = await places('returned')
    await panel.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('searches like this from now on', { exact: false }).waitFor()
    expect(placesOf(await client.search.query({ agent: 'main', query }))).toEqual(previewed)
    await undoInToast(page)
    await until(async () => (await client.search.settings({ agent: 'main' })).maxResults === 20)
    expect(await config()).toBe(before)
  }, 60_000)

  it('has a row for each examined entry, in the order of a chosen column, and shows the threshold', async () => {
    const { client, page, ask } = await openInspector()
    const query = 'cello practice'
    await ask(query)
    const { candidates, matched, thresholds } = await client.search.explain({ agent: 'main', query })
    await page.getByText(`${matched} matched · ${candidates.length} examined · `, { exact: false }).waitFor()
    const rows = await readTable(page)
    expect(rows).toHaveLength(candidates.length)
    expect(Number(await page.getByRole('table').getAttribute('aria-rowcount'))).toBe(candidates.length + 1)
    const placeOf = ({ path, startLine, endLine }: (typeof candidates)[number]) => `${path}:${startLine}-${endLine}`
    expect(rows.map(({ place }) => place).sort()).toEqual(candidates.map(placeOf).sort())
    const firstWeak = rows.findIndex(({ verdict }) => verdict === 'weak')
    expect(firstWeak).toBeGreaterThan(0)
    const threshold = `Threshold · ${Math.round(thresholds.notes * 100)}%`
    expect(rows.flatMap((row, at) => row.thresholds.map((text) => ({ at, text })))).toEqual([
      { at: firstWeak, text: threshold },
    ])

    const header = (name: string) => page.getByRole('columnheader', { name })
    const sortBy = async (name: string, sort: string) => {
      await header(name).getByRole('button').click()
      expect(await header(name).getAttribute('aria-sort')).toBe(sort)
      expect(await page.locator('[aria-sort]:not([aria-sort=none])').count()).toBe(1)
      return readTable(page)
    }
    const figuresOf = (shown: typeof rows) => shown.map(({ texts }) => Number.parseFloat(texts[3] ?? ''))
    const descending = (figures: readonly number[]) => figures.toSorted((one, other) => other - one)
    const sorted = await sortBy('Score', 'descending')
    expect(figuresOf(sorted)).toEqual(descending(figuresOf(sorted)))
    expect(sorted.flatMap((row) => row.thresholds)).toEqual([threshold])
    expect(figuresOf(await sortBy('Score', 'ascending'))).toEqual(descending(figuresOf(sorted)).reverse())
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest('[data-index]')?.getAttribute('data-index'))
    await focusForKeys(page.getByTestId('candidate').first().getByRole('button').first())
    await page.keyboard.press('ArrowDown')
    await until(async () => (await focused()) === '1')
    await page.keyboard.press('Enter')
    await page.locator('[data-index="1"]').getByTestId('candidate-details').waitFor()
    await page.keyboard.press('ArrowUp')
    await until(async () => (await focused()) === '0')

    // In a narrow window the rows are cards without overlap.
    for (const width of [360, 700]) {
      await page.setViewportSize({ width, height: 800 })
      await expect.poll(() => findProblems(page)).toEqual([])
    }
  }, 120_000)
})

describe('agent searches', () => {
  it('shows each search then and now, and how the answer used it', async () => {
    const { page, say, ...server } = await openTestPage({
      files: { 'memory/2026-01-20.md': '# 2026-01-20\n\n## 09:00 - Piano\nThe piano is tuned by Mr Sato.\n' },
    })
    const ask = async (question: string, answers: number) => {
      await say(question)
      await until(async () => (await page.getByTestId('answer').count()) === answers)
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    }
    await ask('Who tunes the piano?', 1)
    await ask('Which submarine did we buy?', 2)
    await page.getByRole('link', { name: 'Inspect' }).click()
    await page.getByRole('link', { name: 'Found' }).click()
    await page.getByRole('link', { name: 'What the agent recalled' }).click()
    const rows = page.getByTestId('recall')
    const piano = rows.filter({ hasText: '“Who tunes the piano?”' })
    await piano.getByText('1 of 1 used').waitFor()
    await writeFile(
      join(server.workspace, 'memory/2026-01-21.md'),
      '# 2026-01-21\n\n## 10:00 - Piano\nThe piano is tuned by Ms Ito now, who tunes it twice a year.\n',
    )
    await piano.getByRole('button').click()
    const lines = piano.getByTestId('recalled')
    await until(async () => (await lines.count()) === 2)
    await piano.getByText('cited').waitFor()
    await page
      .getByRole('radio', { name: 'found nothing' })
      .or(page.getByRole('radio', { name: 'too unlikely' }))
      .first()
      .click()
    await until(async () => (await piano.count()) === 0)
    await page.getByRole('radio', { name: 'all' }).click()
    await page.getByRole('searchbox', { name: 'Question, chat or file' }).fill('2026-01-20.md')
    await until(async () => (await rows.count()) === 1)
    await piano.getByRole('button').click()
    await piano.getByRole('link', { name: 'Open the chat' }).click()
    await page.waitForURL(/chat\/.*#m-/)
  })
})

describe('explaining a missing result', () => {
  it('leads from an answer to the missed line, the reason and a remedy', async () => {
    const filler = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `memory/2026-02-${String((index % 28) + 1).padStart(2, '0')}.md`,
        `# Day\n\nThe supplier called about the delivery of parcel ${index}, and the supplier will call again.\n`,
      ]),
    )
    const { page, say, ...server } = await openTestPage({
      files: { ...filler, 'memory/house.md': '# House\n\nGarage: 4411 opens it, Ann had it changed.\n' },
    })
    const question = 'Which secret combination opens the entrance of the office in Lisbon?'
    await say(question)
    await page.getByTestId('answer').waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    expect(await page.getByTestId('answer').innerText()).toContain('I found nothing')
    await page.getByRole('button', { name: 'Details' }).click()
    await page.getByRole('link', { name: 'Open in Inspect' }).first().click()
    await page.getByRole('button', { name: 'Why not?' }).click()
    await page.getByRole('combobox', { name: 'File and line' }).fill('memory/house.md:3')
    const why = page.getByTestId('why')
    await why.getByText('The match is too weak.', { exact: false }).waitFor()
    expect(await why.getAttribute('data-reason')).toBe('weak')
    await why.getByText('It does not say:', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'What if' }).click()
    await page.getByRole('radio', { name: 'Classic' }).click()
    await page.getByRole('slider', { name: 'Threshold' }).fill('0.99')
    await why.getByText('It is below the threshold of 99%.').waitFor()
    await why.getByRole('button', { name: /Try the threshold/ }).click()
    await why.getByText('It is among the results.').waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('searches like this from now on', { exact: false }).waitFor()
    const { results } = await (await connect(server.url)).search.query({ agent: 'main', query: question })
    expect(results.map(({ path }) => path)).toContain('memory/house.md')

    // It also explains a line that is selected in the editor.
    await visit(page, '/file/memory/house.md')
    const line = page.locator('.view-lines').getByText('Garage')
    await line.dblclick({ position: { x: 20, y: 8 } })
    await page.getByRole('button', { name: 'Check recall' }).click()
    await page.waitForURL(/why=memory%2Fhouse\.md%3A3/)
    await page.getByRole('textbox', { name: 'Question' }).fill('submarine')
    await why.getByText('nothing in common with the query', { exact: false }).waitFor()
    await page.getByRole('combobox', { name: 'File and line' }).fill('memory/none.md:4')
    await why.getByText('file not found', { exact: false }).waitFor()
  })
})

describe('checks', () => {
  it('saves a result as a check that follows its line and explains a failure', async () => {
    const { page, ...server } = await openTestPage(
      {
        files: {
          'memory/house.md': '# House\n\nThe garage door opens with 4411.\n\nThe cellar key hangs behind the clock.\n',
          'memory/piano.md': '# 钢琴\n\n佐藤先生每年春天来调钢琴。\n',
        },
      },
      {},
      '/inspect/found?q=garage+door',
    )
    const client = await connect(server.url)
    const row = page.getByTestId('candidate').filter({ hasText: 'house.md:3' })
    await row.getByRole('button', { name: /Details/ }).click()
    await page.getByRole('button', { name: 'Add as check' }).click()
    await page.getByText('checked after every change of the memory', { exact: false }).waitFor()
    await page.getByRole('link', { name: 'Tested' }).click()
    const checks = page.getByTestId('check')
    await checks.getByRole('img', { name: 'passes' }).waitFor()
    await page.getByRole('textbox', { name: 'Question' }).fill('谁调钢琴')
    await page.getByRole('combobox', { name: 'Lines it should find' }).fill('memory/piano.md:3')
    await page.keyboard.press('Enter')
    await until(async () => (await page.getByTestId('pass-rate').innerText()) === '2 of 2 pass')

    await writeFile(join(server.workspace, 'memory/piano.md'), '# 钢琴\n\n新的一行。\n\n佐藤先生每年春天来调钢琴。\n')
    await page.getByRole('link', { name: 'memory/piano.md:5' }).waitFor()

    const settings = await client.search.settings({ agent: 'main' })
    const strict = { ...settings, weights: { vector: 0.7, text: 0.3 }, minScore: 0.99 }
    await client.search.setSettings({ agent: 'main', settings: strict })
    await checks.getByText('too unlikely', { exact: false }).first().waitFor()
    await client.search.setSettings({ agent: 'main', settings })
    await until(async () => (await page.getByTestId('pass-rate').innerText()) === '2 of 2 pass')
    await page.getByRole('img', { name: /^Share of checks that passed over [3-9] runs, 100%/ }).waitFor()
    await page.getByText('Show as table').click()
    await page.getByRole('cell', { name: 'settings changed' }).first().waitFor()

    const { text } = await client.savedSearches.export({ agent: 'main' })
    expect(text.trim().split('\n')).toHaveLength(2)
    await page.getByRole('button', { name: 'Remove the check' }).first().click()
    await until(async () => (await checks.count()) === 1)
    await undoInToast(page)
    await until(async () => (await checks.count()) === 2)
    const more = { query: 'cellar', relevant: [{ path: 'memory/house.md', startLine: 5, endLine: 5 }] }
    const buffer = Buffer.from(`${text}${JSON.stringify(more)}\n`)
    await page.locator('input[type=file]').setInputFiles({ name: 'more.jsonl', mimeType: 'text/plain', buffer })
    await page.getByText('One new check').waitFor()
    await until(async () => (await checks.count()) === 3)
  })
})
