/**
 * Takes the screenshots of the README and the tour, with the app itself on sample notes: `node
 * test/support/pictures.ts`. Check them before committing.
 */
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { chromiumFlags, findChromium } from './chromium.ts'
import { mainFolder } from './built.ts'
import { connect } from './client.ts'
import { until, writeFiles } from './folder.ts'

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const size = { width: 1200, height: 750 }

/** Returns the date this many days ago: `YYYY-MM-DD`. */
function day(ago: number): string {
  const date = new Date(Date.now() - ago * 86_400_000)
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}

const log = (ago: number, ...entries: string[]) => ({
  [`memory/${day(ago)}.md`]: `# ${day(ago)}\n\n${entries.join('\n\n')}\n`,
})

const notes = {
  'MEMORY.md':
    '# Long-term memory\n\n## Preferences\n- Answers short, sources always.\n- Tea, no coffee; 喝绿茶，不喝咖啡。\n\n## Decisions\n- PostgreSQL for anything that outlives a weekend.\n- API keys get 100 requests a minute, decided in the January retro.\n\n## People\n- Mr Okafor tunes the piano every May.\n',
  'memory/house.md':
    '# House\n\n- The boiler code is 7781.\n- Garage door: 4411, twice.\n- Mrs Lindqvist has the spare key.\n',
  'projects/api.md':
    '# API\n\n## Rate limit\nA key may make 100 requests a minute, with a burst of 20. Staging has no limit.\n\n## Releases\nEvery second Thursday, never on a Friday.\n',
  'projects/garden.md': '# Garden\n\nTomatoes go out after the last frost, in the middle of May.\n',
  'reading/summer.md': '# To read\n\n- The Peregrine\n- 边城\n- Invisible Cities\n',
  ...log(
    0,
    '## 07:40\nGreen tea from the shop at the corner.',
    '## 08:15 - Call with the landlord\nSomebody looks at the boiler on Thursday.',
  ),
  ...log(
    1,
    '## 09:30 - Standup\nThe rate limit of the API moves from 60 to 100 requests a minute.',
    '## 16:10\nThe piano sounds flat again.',
  ),
  ...log(2, '## 10:00\nPlanted garlic along the south wall.'),
  ...log(4, '## 11:20 - Retro\nReleases stay on Thursdays. Nobody wants Fridays back.'),
  ...log(7, '## 14:00\nBooked Kyoto for April, three nights.'),
  ...log(9, '## 09:10\nThe staging database reads its address from Vault.'),
}

// The screenshots show this path.
const root = join(tmpdir(), 'ada')
await mkdir(root)
const workspace = join(root, 'notes')
await writeFiles(workspace, notes)
await writeFiles(join(root, 'home'), {
  'config.yaml': `agents:\n  list: [{ id: main, name: Ada, workspace: ${JSON.stringify(workspace)} }]\n`,
})
const server = await startServer({ mainFolder, env: {}, home: join(root, 'home') })
const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
try {
  const client = await connect(server.url)
  // The screenshots include vector search: waits until the built-in model has embedded everything.
  await until(async () => {
    const { units, embedded } = await client.search.status({ agent: 'main' })
    return units > 8 && embedded === units
  }, 60_000)
  const page = await browser.newPage({ viewport: size, locale: 'en-US', colorScheme: 'light' })
  await page.goto(server.url)
  await takeTour(page)
  for (const theme of ['light', 'dark'] as const) {
    await client.settings.setAppearance({ theme })
    await page.locator(`html[data-theme=${theme}]`).waitFor()
    await openChat(page)
    await take(page, `chat-${theme}`)
    await openSearch(page)
    await take(page, `search-${theme}`)
  }
} finally {
  await browser.close()
  await server.close()
  await rm(root, { recursive: true, force: true, maxRetries: 5 })
}

async function takeTour(page: Page): Promise<void> {
  await ask(page, 'What is the rate limit of the API?')
  await ask(page, 'When are releases?')
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByText('Today’s log').waitFor()
  await take(page, 'tour-1-start')
  await ask(page, 'Remember that the boiler code is 8080 since Thursday')
  await page.getByTestId('diff-card').waitFor()
  await take(page, 'tour-2-remember')
  await openChat(page)
  await take(page, 'tour-3-ask')
  await page.getByRole('button', { name: 'outdated' }).last().click()
  await page.getByTestId('proposal-view').waitFor()
  await take(page, 'tour-4-mend')
  await openSearch(page)
  await take(page, 'tour-5-search')
  await page.getByRole('button', { name: 'Close What if' }).click()
  await page.getByRole('link', { name: 'Changes' }).click()
  await page.getByTestId('change').first().waitFor()
  await take(page, 'tour-6-changes')
  await page
    .getByRole('link', { name: /^Context/ })
    .first()
    .click()
  await page.getByTestId('context-total').waitFor()
  await take(page, 'tour-7-context')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('ma')
  await page.getByRole('option').first().waitFor()
  await take(page, 'tour-8-palette')
  await page.keyboard.press('Escape')
}

/** Asks a question whose answer cites notes. */
async function openChat(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'New chat' }).click()
  await ask(page, 'What is the boiler code?')
  await page.getByTestId('sources').getByRole('button').first().click()
  await page.getByTestId('result').first().waitFor()
}

async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press('Control+Shift+F')
  await page.getByRole('textbox', { name: 'Search memory' }).fill('rate limit of the API')
  await page.getByTestId('candidate').first().waitFor()
  await page.getByTestId('candidate').first().getByRole('button').click()
  if ((await page.getByRole('button', { name: 'Close What if' }).count()) === 0)
    await page.getByRole('button', { name: 'What if' }).click()
}

async function ask(page: Page, text: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill(text)
  await composer.press('Enter')
  await page.getByTestId('answer').last().waitFor()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
}

/** Takes a screenshot after all animations have ended. */
async function take(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0)
  await page.waitForTimeout(600)
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
