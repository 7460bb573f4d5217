import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { enter, focusForKeys, openPage } from '../support/browser.ts'
import { openModelPage, openTestPage } from '../support/test-page.ts'
import { connect } from '../support/client.ts'
import { until } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'
import { bigFile, bigText, configOf, conversationModel, messageOf } from '../support/scripted-conversation.ts'

/** Opens a long conversation in a small context window, with flushes and compactions. */
async function openLongTalk(turns: number) {
  const model = await startModelServer({ text: 'ok' })
  model.respond = conversationModel()
  model.window = 32_000
  const server = await openTestServer({
    files: {
      [bigFile]: bigText,
      'MEMORY.md': `# Memory\n\n${'- Something to keep in mind, every day.\n'.repeat(600)}`,
    },
    config: configOf(model.url),
    env: { ANTHROPIC_API_KEY: 'k' },
  })
  const client = await connect(server.url)
  let session: string | undefined
  for (let turn = 0; turn < turns; turn += 1) {
    const sent = await client.chat.send({ agent: 'main', text: messageOf(turn), ...(session ? { session } : {}) })
    session = sent.session
    for await (const event of await client.chat.watch({ agent: 'main', session })) {
      if (event.type === 'turnEnd' || (event.type === 'partial' && !event.running)) break
    }
  }
  const page = await openPage()
  await enter(page, server.url, `/inspect/sent/${session}`)
  return { ...server, client, page, model, session: session ?? '' }
}

describe('context meter', () => {
  it('shows bar, table, timeline, dropped messages and any request', async () => {
    const { page, client, session, model } = await openLongTalk(14)
    const total = page.getByTestId('context-total')
    await total.waitFor()
    const sum = await page
      .locator('[data-testid=context-item] [data-tokens]')
      .evaluateAll((cells) => cells.reduce((all, cell) => all + Number(cell.getAttribute('data-tokens')), 0))
    expect(Number((await total.innerText()).replaceAll(',', ''))).toBe(sum)
    const { steps, events } = await client.context.timeline({ agent: 'main', session })
    expect(sum).toBe(steps.at(-1)?.reportedTokens)
    await page.getByText('MEMORY.md uses', { exact: false }).first().waitFor()

    const compaction = page.getByRole('button', { name: /^Compaction after request/ }).first()
    await compaction.click()
    const details = page.getByTestId('event-details')
    await details.getByText(/messages replaced by the summary/).click()
    await details.getByText('FACT-0', { exact: false }).first().waitFor()
    await details.scrollIntoViewIfNeeded()
    await page.getByRole('button', { name: 'Flush after request' }).first().click()
    await details.getByText('FACT-', { exact: false }).first().waitFor()
    expect(events.length).toBeGreaterThan(1)

    const slider = page.getByRole('slider', { name: 'Select request' })
    await focusForKeys(slider)
    await page.keyboard.press('Home')
    await page.getByText(`Request 1 of ${steps.length}`).waitFor()
    await until(async () => Number((await total.innerText()).replaceAll(',', '')) === steps[0]?.reportedTokens)

    await page.getByRole('button', { name: 'Exact request' }).click()
    const sheet = page.getByRole('dialog', { name: 'Exact request' })
    const onTheWire = sheet.getByRole('document', { name: 'Raw request' })
    await onTheWire.getByText('/v1/messages', { exact: false }).first().waitFor()
    await onTheWire.getByText('authorization: [redacted]', { exact: false }).waitFor()
    await onTheWire.getByText('"model": "test-model"', { exact: false }).waitFor()
    await sheet.getByRole('checkbox', { name: 'Indented' }).uncheck()
    const sent = model.requests[0]?.text ?? ''
    await onTheWire.getByText(sent.slice(0, 400), { exact: false }).first().waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    // The button says so for a moment only.
    const isCopied = sheet.getByRole('button', { name: 'Copied' }).waitFor()
    await Promise.all([isCopied, sheet.getByRole('button', { name: 'Copy' }).click()])
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied.slice(copied.indexOf('\n\n') + 2)).toBe(sent)
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'System prompt as sent' }).click()
    await page.getByRole('dialog').getByText('memory_search', { exact: false }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }, 120_000)
})

describe('notes found for a message', () => {
  it('are a line below the message that opens, and can be turned off for the chat', async () => {
    const home =
      '# Home\n\n- The boiler was serviced by Karl Winter in May 2025.\n- The boiler is a Vaillant from 2011.\n'
    const { page, say } = await openModelPage(
      [{ text: 'Karl Winter did, in May 2025 [notes/home.md:3].' }, { text: 'Fine.' }],
      { files: { 'notes/home.md': home } },
    )
    await say('Who serviced the boiler?')
    await page.getByText('Karl Winter did').waitFor()
    const line = page.getByTestId('recalled')
    await line.getByText(/^\d notes?$/).click()
    const result = line.getByTestId('result').first()
    await result.getByText('The boiler was serviced by Karl Winter').waitFor()
    await result.getByRole('button', { name: 'Wrong' }).waitFor()
    await result.getByRole('button', { name: 'Outdated' }).waitFor()
    await page.getByRole('button', { name: 'Chat actions' }).click()
    await page.getByRole('menuitem', { name: 'Do not include matching notes' }).click()
    await page.getByRole('button', { name: 'Chat actions' }).click()
    await page.getByRole('menuitem', { name: 'Send found notes again' }).waitFor()
    await page.keyboard.press('Escape')
    await say('Who made the boiler?')
    await page.getByText('Fine.').waitFor()
    expect(await page.getByTestId('recalled').count()).toBe(1)
    await result.getByRole('link', { name: /home/ }).first().click()
    await page.waitForURL(/home\.md/)
  })
})

describe('a chat that ends', () => {
  it('shows a summary in the list, the tree, the calendar and the chat, and undoes it', async () => {
    const { page, say, ...server } = await openTestPage({ files: { 'MEMORY.md': '# Long-term memory\n' } })
    await say('The heron sails from Genoa on 2026-05-04 with 300 crates.')
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
    await page.getByRole('navigation').getByRole('link', { name: 'The heron sails' }).click()
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
