/**
 * Opens copies of real vaults with the built app and a real browser. Measures the time until the tree is usable and
 * keyword search works, and the number of nodes of each view, and checks that no byte of the vault changes.
 *
 *   node test/vaults/open.ts [--pictures DIR] FOLDER…
 */
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import type { IndexStatus } from '../../src/shared/contract/index.ts'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder } from '../support/built.ts'
import { chromiumFlags, findChromium } from '../support/chromium.ts'
import { connect } from '../support/client.ts'

const { values, positionals } = parseArgs({ options: { pictures: { type: 'string' } }, allowPositionals: true })

/** Returns a hash of all paths and bytes. */
async function fingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => [join(entry.parentPath, entry.name), entry.isFile()] as const).sort()
  for (const [path, isFile] of paths) hash.update(path).update(isFile ? await readFile(path) : '')
  return hash.digest('hex')
}

const views = [
  ['chat', '/', 'textarea'],
  ['find', '/find', 'h1'],
  ['search', '/search?q=daily+notes', '[data-testid=candidate]'],
  ['changes', '/changes', 'main section h1'],
  ['broken links', '/links/broken', 'main h1'],
  ['settings', '/settings', 'h1'],
] as const

/** Returns true if every file is indexed. Does not wait for embeddings or for the second scan when watching starts. */
function hasWords({ state, files, done, total }: IndexStatus): boolean {
  return files > 0 && (state === 'ready' || (total > 0 && done === total && files >= total))
}

async function measure(folder: string): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'vault-'))
  const [vault, home] = [join(root, 'vault'), join(root, 'state')]
  await cp(folder, vault, { recursive: true })
  await mkdir(home)
  // Keyword search only. The benchmark measures embeddings.
  const config = `agents:\n  defaults: { memory: { embedding: { provider: none } } }\n  list: [{ id: main, workspace: "${vault}" }]\n`
  await writeFile(join(home, 'config.yaml'), config)
  const before = await fingerprint(vault)
  const server = await startServer({ mainFolder, env: {}, home })
  const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
  try {
    const client = await connect(server.url)
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const began = performance.now()
    const searched = (async () => {
      for (;;) {
        const status = await client.search.status({ agent: 'main' })
        if (hasWords(status)) return performance.now() - began
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })()
    await page.goto(server.url)
    await page.getByRole('list', { name: 'Memory' }).getByRole('listitem').first().waitFor({ timeout: 120_000 })
    const tree = performance.now() - began
    const words = await searched
    const files = await client.workspace.list({ agent: 'main' })
    const { kept } = await client.habits.of({ agent: 'main' })
    console.log(
      `${basename(folder)}: ${kept.kind}, ${files.length} notes, tree ${Math.round(tree)} ms, words ${Math.round(words)} ms`,
    )
    for (const [name, path, ready] of views) {
      await page.goto(new URL(path, server.url).href)
      await page.locator(ready).first().waitFor({ timeout: 120_000 })
      if (name === 'find') {
        await page.getByRole('textbox').first().fill('the')
        await page.getByText(/matches in [\d,]+ files$/).waitFor({ timeout: 120_000 })
      }
      for (const closed of await page
        .getByRole('list', { name: 'Memory' })
        .locator('button[aria-expanded=false]:not([aria-haspopup])')
        .all())
        await closed.click({ timeout: 1000 }).catch(() => undefined)
      await page.waitForTimeout(300)
      const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
      console.log(`  ${name}: ${nodes} nodes`)
      if (values.pictures !== undefined)
        await page.screenshot({ path: join(values.pictures, `${basename(folder)}-${name.replaceAll(' ', '-')}.png`) })
    }
  } finally {
    await browser.close()
    await server.close()
  }
  const isSame = (await fingerprint(vault)) === before
  console.log(`  ${isSame ? 'the vault is unchanged' : 'THE VAULT WAS WRITTEN TO'}`)
  await rm(root, { recursive: true, force: true })
}

/** Chooses the folder at a first start. Its window is already open. */
async function choose(folder: string): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'vault-'))
  const [vault, home] = [join(root, 'vault'), join(root, 'state')]
  await cp(folder, vault, { recursive: true })
  await mkdir(home)
  const server = await startServer({ mainFolder, env: {}, home })
  const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
  try {
    const client = await connect(server.url)
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(vault)
    const start = page.getByRole('button', { name: 'Start', exact: true })
    // Users read the description of the folder before they continue.
    await page.waitForTimeout(1500)
    await start.click()
    const began = performance.now()
    await page.getByRole('list', { name: 'Memory' }).getByRole('listitem').first().waitFor({ timeout: 120_000 })
    const tree = performance.now() - began
    for (;;) {
      const status = await client.search.status({ agent: 'main' })
      if (hasWords(status)) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const words = performance.now() - began
    console.log(`  chosen at first start: tree ${Math.round(tree)} ms, words ${Math.round(words)} ms`)
  } finally {
    await browser.close()
    await server.close()
  }
  await rm(root, { recursive: true, force: true })
}

for (const folder of positionals) {
  await measure(folder)
  await choose(folder)
}
