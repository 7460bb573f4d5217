/** Starts a server and opens a page of it; returns functions that open and edit files, and send messages. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTestServer, type TestAppOptions } from './app.ts'
import { enter, openPage, visit } from './browser.ts'
import { startModelServer, type ScriptedAnswer } from './model-server.ts'

export { dot } from './dot.ts'

/** @param place path and query of the first view */
export async function openTestPage(
  options: TestAppOptions = {},
  look: Parameters<typeof openPage>[0] = {},
  place = '/',
) {
  const server = await openTestServer(options)
  const page = await openPage(look)
  await enter(page, server.url, place)
  const open = async (path: string) => {
    await visit(page, `/file/${path.split('/').map(encodeURIComponent).join('/')}`)
    await page.locator('.monaco-editor .view-lines').waitFor()
  }
  const onDisk = (path: string) => readFile(join(server.workspace, path), 'utf8')
  const type = async (text: string) => {
    await page.locator('.monaco-editor .view-lines').click()
    await page.locator('.monaco-editor.focused').waitFor()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(text)
  }
  const composer = page.getByRole('textbox', { name: 'Message', exact: true })
  const say = async (text: string) => {
    await composer.fill(text)
    await composer.press('Enter')
  }
  return { ...server, page, open, onDisk, type, composer, say }
}

/** Returns a config with a scripted model. @param extra more top-level keys */
export function modelConfig(url: string, extra = ''): string {
  return `providers: { anthropic: { baseUrl: "${url}" } }\n${extra}agents:\n  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/claude-sonnet-4-5 }]\n`
}

/** Opens a page of an agent whose model gives these answers. */
export async function openModelPage(
  script: readonly ScriptedAnswer[],
  { extra, ...options }: TestAppOptions & { readonly extra?: string } = {},
  look: Parameters<typeof openPage>[0] = {},
) {
  const model = await startModelServer(...script)
  const opened = await openTestPage(
    { config: modelConfig(model.url, extra), env: { ANTHROPIC_API_KEY: 'k' }, ...options },
    look,
  )
  return { ...opened, model }
}
