/** Starts a server and opens a page of it; returns functions that open and edit files. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTestServer, type TestAppOptions } from './app.ts'
import { openPage, visit } from './browser.ts'

export async function openMemory(options: TestAppOptions = {}, look: Parameters<typeof openPage>[0] = {}) {
  const server = await openTestServer(options)
  const page = await openPage(look)
  await page.goto(server.url)
  const open = async (path: string) => {
    await visit(page, `/file/${path.split('/').map(encodeURIComponent).join('/')}`)
    await page.locator('.monaco-editor .view-lines').waitFor()
  }
  const onDisk = (path: string) => readFile(join(server.workspace, path), 'utf8')
  const type = async (text: string) => {
    await page.locator('.monaco-editor .view-lines').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(text)
  }
  return { ...server, page, open, onDisk, type }
}
