import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { parse } from 'yaml'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, enter, openPage, visit } from '../support/browser.ts'
import { connect } from '../support/client.ts'
import { until } from '../support/folder.ts'

afterAll(closeBrowser)

/** Words for generated notes; some appear in many notes, some in few. */
const subjects = ['Ann', 'Bob', '小明', 'Chloé', 'the team', '她']
const things = ['database', 'invoice', 'garden', '数据库', 'flight', 'deadline', '会议', 'recipe', 'password', 'violin']
const places = ['Lisbon', '北京', 'the office', 'Zürich', 'home', '图书馆']

/** Generates notes from a fixed seed. */
function makeNotes(): Record<string, string> {
  let seed = 7
  const next = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % most
  }
  const notes: Record<string, string> = {}
  for (let day = 1; day <= 28; day += 1) {
    const lines = Array.from({ length: 12 }, () => {
      const [subject, thing, place] = [subjects[next(6)], things[next(10)], places[next(6)]]
      return `- ${subject} talked about the ${thing} in ${place}, number ${next(500)}.`
    })
    notes[`memory/2026-01-${String(day).padStart(2, '0')}.md`] = `# Day ${day}\n\n${lines.join('\n')}\n`
  }
  return notes
}

const queries = things.flatMap((thing) => [
  thing,
  `who talked about the ${thing}`,
  `${thing} ${places[thing.length % places.length]}`,
  `${subjects[thing.length % subjects.length]} ${thing}`,
  `number ${thing.length * 31}`,
])

/** `INSPECTOR_SET` can name a folder with `workspace` and `queries.jsonl` to test another judged set. */
async function openInspector(outside = process.env['INSPECTOR_SET']) {
  const server = await openTestServer({ files: outside ? {} : makeNotes() })
  let asked = queries
  if (outside) {
    await cp(join(outside, 'workspace'), server.workspace, { recursive: true })
    const lines = (await readFile(join(outside, 'queries.jsonl'), 'utf8')).trim().split('\n')
    const all = lines.map((line) => (JSON.parse(line) as { query: string }).query)
    asked = Array.from({ length: 50 }, (_, index) => all[(index * 37) % all.length] ?? '')
  }
  const client = await connect(server.url)
  await until(async () => {
    const { state, files } = await client.search.status({ agent: 'main' })
    return state === 'ready' && files > 5
  }, 60_000)
  const page = await openPage()
  await page.goto(server.url)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  const field = page.getByRole('textbox', { name: 'Question' })
  const settled = () => page.locator('[aria-busy=false]').waitFor()
  const ask = async (query: string) => {
    if (!page.url().includes('/inspect/found')) await visit(page, '/inspect/found')
    await field.fill(query)
    await page.waitForURL((url) => url.searchParams.get('q') === query)
    await settled()
  }
  return { ...server, client, page, ask, settled, queries: asked }
}

describe('search while typing', () => {
  it('shows results during typing and ends with those of the full query', async () => {
    const { page, settled } = await openInspector()
    await visit(page, '/inspect/found')
    const field = page.getByRole('textbox', { name: 'Question' })
    const words = 'violin in Lisbon and the garden of the office at home'
    await field.click()
    let typedAtFirstResult = words.length
    const results = page
      .getByTestId('candidate')
      .first()
      .waitFor()
      .then(async () => (typedAtFirstResult = (await field.inputValue()).length))
    for (const letter of words) {
      const isWaiting = typedAtFirstResult === words.length
      await page.keyboard.type(letter, { delay: isWaiting ? 100 : 0 })
    }
    await results
    expect(typedAtFirstResult).toBeLessThan(words.length)
    await page.waitForURL((url) => url.searchParams.get('q') === words)
    await settled()
    const shown = async () => {
      let rows: string[] = []
      await until(async () => {
        const before = rows
        await page.waitForTimeout(400)
        rows = await page.getByTestId('candidate').allTextContents()
        return rows.length > 0 && rows.join('\n') === before.join('\n')
      }, 20_000)
      return rows
    }
    const last = await shown()
    await page.reload()
    await page.getByTestId('candidate').first().waitFor()
    await settled()
    expect(await shown()).toEqual(last)
  }, 60_000)
})

const everydayNotes = fileURLToPath(new URL('../recall/everyday-en', import.meta.url))

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

describe('the table of candidates', () => {
  it('has a row for each examined entry, in the order of a chosen column, and shows the threshold', async () => {
    const { client, page, ask } = await openInspector(everydayNotes)
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
    expect((await sortBy('Verdict', 'ascending')).map(({ place }) => place)).toEqual(rows.map(({ place }) => place))

    const focused = () =>
      page.evaluate(() => document.activeElement?.closest('[data-index]')?.getAttribute('data-index'))
    await page.getByTestId('candidate').first().getByRole('button').first().focus()
    await page.keyboard.press('ArrowDown')
    await until(async () => (await focused()) === '1')
    await page.keyboard.press('Enter')
    await page.locator('[data-index="1"]').getByTestId('candidate-details').waitFor()
    await page.keyboard.press('ArrowUp')
    await until(async () => (await focused()) === '0')
  }, 120_000)

  it('becomes cards without overlap in a narrow window', async () => {
    const { page, ask } = await openInspector()
    await page.setViewportSize({ width: 360, height: 800 })
    await ask('violin Lisbon 图书馆')
    await page.getByTestId('candidate').first().waitFor()
    await page.getByTestId('candidate').nth(1).getByRole('button').first().click()
    await page
      .getByTestId('candidate-details')
      .getByText(/^Day \d+$/)
      .waitFor()
    const findProblems = () =>
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
    for (const width of [360, 700]) {
      await page.setViewportSize({ width, height: 800 })
      await expect.poll(findProblems).toEqual([])
    }
  })
})

describe('trying out settings', () => {
  it('shows the ranking that applying produces, and undoes it', async () => {
    const { client, page, ask, settled, home } = await openInspector()
    const config = () => readFile(join(home, 'config.yaml'), 'utf8')
    const before = await config()
    const query = 'who talked about the garden in Lisbon'
    await ask(query)
    await page.getByTestId('candidate').first().waitFor()
    await page.getByRole('button', { name: 'What if' }).click()
    const panel = page.getByRole('complementary', { name: 'What if' })
    expect(await panel.getByRole('slider', { name: 'Threshold' }).count()).toBe(0)
    await panel.getByRole('slider', { name: 'Maximum results' }).fill('9')
    await panel.getByRole('slider', { name: 'Maximum characters' }).fill('1200')
    await panel.getByRole('checkbox', { name: 'Older entries count less' }).check()
    await panel.getByRole('slider', { name: /Half after/ }).fill('300')
    await page
      .getByText(/[▲▼]\d|comes in|drops out/)
      .first()
      .waitFor()
    await settled()
    const returned = page.locator('[data-testid=candidate][data-verdict=returned]')
    const shown = () => returned.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-place')))
    const previewed = await shown()
    await panel.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('searches like this from now on', { exact: false }).waitFor()
    const { results } = await client.search.query({ agent: 'main', query })
    expect(results.map(({ path, startLine, endLine }) => `${path}:${startLine}-${endLine}`)).toEqual(previewed)
    const applied = { maxResults: 9, maxCharacters: 1200, recencyHalfLifeDays: 300 }
    expect(parse(await config())).toMatchObject({ agents: { list: [{ memory: { search: applied } }] } })
    await page.locator('[data-sonner-toast]').getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await client.search.settings({ agent: 'main' })).maxResults === 20)
    expect(await config()).toBe(before)
  })
})

describe('agent searches', () => {
  it('shows each search then and now, and how the answer used it', async () => {
    const server = await openTestServer({
      files: { 'memory/2026-01-20.md': '# 2026-01-20\n\n## 09:00 - Piano\nThe piano is tuned by Mr Sato.\n' },
    })
    const page = await openPage()
    await page.goto(server.url)
    const ask = async (question: string, answers: number) => {
      const composer = page.getByRole('textbox', { name: 'Message' })
      await composer.fill(question)
      await composer.press('Enter')
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
    const server = await openTestServer({
      files: { ...filler, 'memory/house.md': '# House\n\nGarage: 4411 opens it, Ann had it changed.\n' },
    })
    const page = await openPage()
    await page.goto(server.url)
    const question = 'Which secret combination opens the entrance of the office in Lisbon?'
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill(question)
    await composer.press('Enter')
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
  })

  it('explains a line selected in the editor', async () => {
    const server = await openTestServer({ files: { 'memory/a.md': '# A\n\nThe walrus is the mascot.\n' } })
    const page = await openPage()
    await enter(page, server.url, '/file/memory/a.md')
    await page
      .locator('.view-lines')
      .getByText('walrus')
      .dblclick({ position: { x: 40, y: 8 } })
    await page.getByRole('button', { name: 'Check recall' }).click()
    await page.waitForURL(/why=memory%2Fa\.md%3A3/)
    await page.getByRole('textbox', { name: 'Question' }).fill('mascot')
    await page.getByTestId('why').getByText('It is among the results.').waitFor()
    await page.getByRole('textbox', { name: 'Question' }).fill('submarine')
    await page.getByTestId('why').getByText('nothing in common with the query', { exact: false }).waitFor()
    await page.getByRole('combobox', { name: 'File and line' }).fill('memory/none.md:4')
    await page.getByTestId('why').getByText('file not found', { exact: false }).waitFor()
  })
})

describe('checks', () => {
  it('saves a result as a check that follows its line and explains a failure', async () => {
    const server = await openTestServer({
      files: {
        'memory/house.md': '# House\n\nThe garage door opens with 4411.\n\nThe cellar key hangs behind the clock.\n',
        'memory/piano.md': '# 钢琴\n\n佐藤先生每年春天来调钢琴。\n',
      },
    })
    const client = await connect(server.url)
    const page = await openPage()
    await enter(page, server.url, '/inspect/found?q=garage+door')
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
    await page
      .getByRole('button', { name: /^Remove the check/ })
      .first()
      .click()
    await until(async () => (await checks.count()) === 1)
    await page.locator('[data-sonner-toast]').getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await checks.count()) === 2)
    const chosen = (name: string, content: string) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })
    await chosen('bad.jsonl', `${text}{"query": 3}\n`)
    await page.getByText('queries.jsonl:3 is not a judged question', { exact: false }).waitFor()
    const more = { query: 'cellar', relevant: [{ path: 'memory/house.md', startLine: 5, endLine: 5 }] }
    await chosen('more.jsonl', `${text}${JSON.stringify(more)}\n`)
    await page.getByText('One new check').waitFor()
    await until(async () => (await checks.count()) === 3)
  })
})
