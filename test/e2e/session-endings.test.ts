import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'
import { connect } from '../support/client.ts'
import { until } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'

afterAll(closeBrowser)

describe('a chat that ends', () => {
  it('leaves a summary in the list, the tree, the calendar and the chat, which can be undone', async () => {
    const server = await openTestServer({ files: { 'MEMORY.md': '# Long-term memory\n' } })
    const page = await openPage()
    await page.goto(server.url)
    await page
      .getByRole('textbox', { name: 'Message' })
      .fill('The heron sails from Genoa on 2026-05-04 with 300 crates.')
    await page.keyboard.press('Enter')
    const chat = page.getByRole('navigation').getByRole('link', { name: /The heron sails/ })
    await chat.waitFor()
    await page.getByRole('link', { name: /New chat/ }).click()
    const names = () => readdir(join(server.workspace, 'memory')).catch((): string[] => [])
    await until(async () => (await names()).length === 1, 10_000)
    await page.getByRole('img', { name: 'Kept: 1 note' }).waitFor()
    await page.getByRole('link', { name: /^Notes/ }).click()
    const ofToday = page.getByRole('list', { name: /^Chats of/ })
    await ofToday.getByRole('link', { name: 'heron sails from genoa' }).waitFor()
    const chats = page.getByRole('navigation').getByRole('link', { name: /^Chat/ }).first()
    await chats.click()
    await chat.click()
    await page.getByRole('button', { name: 'The chat ended. Its summary is in memory.' }).click()
    await page.getByText('The heron sails from Genoa on 2026-05-04 with 300 crates.', { exact: false }).last().waitFor()
    await page.getByRole('link', { name: /^Notes/ }).click()
    await ofToday.getByRole('link').click()
    await page.getByText('Summary of the chat').first().waitFor()
    await chats.click()
    await chat.click()
    await page.getByRole('button', { name: 'The chat ended. Its summary is in memory.' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await names()).length === 0)
  })

  it('says that its notes are missing, and offers to save them before it is deleted', async () => {
    const model = await startModelServer()
    let isBroken = true
    model.respond = (body) => {
      if (!JSON.stringify(body).includes('Memory flush.')) return { text: 'Aye.' }
      if (isBroken) return { status: 422, message: 'out of luck' }
      return { text: '{"notes": ["The heron sails from Genoa"]}' }
    }
    const server = await openTestServer({
      config: `providers: { openai-compatible: { baseUrl: "${model.openAiUrl}" } }
models: { openai-compatible/m: { contextWindow: 4096, maxOutput: 500 } }
agents:
  defaults: { chat: { titles: false } }
  list: [{ id: main, workspace: "{{workspace}}", model: openai-compatible/m }]
`,
    })
    const client = await connect(server.url)
    let session: string | undefined
    for (let turn = 1; turn <= 6; turn += 1) {
      const text = `The heron sails from Genoa. ${'The crossing takes some hours on a calm sea. '.repeat(110)}`
      const sent = await client.chat.send({ agent: 'main', text, session })
      session = sent.session
      for await (const event of await client.chat.watch({ agent: 'main', session }))
        if ((event.type === 'partial' && !event.running) || event.type === 'turnEnd') break
    }
    const page = await openPage()
    await page.goto(server.url)
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /The heron sails/ })
      .click()
    const remove = async () => {
      await page.getByRole('button', { name: 'Chat actions' }).last().click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
    }
    await remove()
    await page.getByRole('button', { name: 'Save notes and delete' }).click()
    await page.getByText('Saving notes failed again.').waitFor()
    await page.getByText('Saving notes failed. They will be saved later.').last().waitFor()
    isBroken = false
    await page.getByRole('button', { name: 'Save notes and delete' }).click()
    await page.getByText(/was deleted/).waitFor()
    const names = await readdir(join(server.workspace, 'memory'))
    const log = names.find((name) => name.length === 13) ?? ''
    expect(await readFile(join(server.workspace, 'memory', log), 'utf8')).toContain('The heron sails from Genoa')
  })
})
