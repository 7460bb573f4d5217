import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, enter, openPage } from '../support/browser.ts'
import { connect } from '../support/client.ts'
import { until } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'
import { bigFile, bigText, configOf, conversationModel, messageOf } from '../support/scripted-conversation.ts'

afterAll(closeBrowser)

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
    await page
      .getByRole('button', { name: /^Flush after request/ })
      .first()
      .click()
    await details.getByText('FACT-', { exact: false }).first().waitFor()
    expect(events.length).toBeGreaterThan(1)

    const slider = page.getByRole('slider', { name: 'Select request' })
    await slider.focus()
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
    await sheet.getByRole('button', { name: 'Copy' }).click()
    await sheet.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied.slice(copied.indexOf('\n\n') + 2)).toBe(sent)
    await sheet.getByRole('radio', { name: 'By layer' }).click()
    await sheet.getByRole('searchbox', { name: 'Find in text' }).fill('FACT-0')
    await page.keyboard.press('Enter')
    await sheet.getByText(/^1\/\d+$/).waitFor()
    await sheet.getByRole('button', { name: 'Later request' }).click()
    await until(async () => /Request 2 of/.test(await sheet.getByTestId('request-number').innerText()))
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'System prompt as sent' }).click()
    await page.getByRole('dialog').getByText('memory_search', { exact: false }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Tool memory_search as sent' }).click()
    await page.getByRole('dialog').getByText('"name": "memory_search"', { exact: false }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }, 120_000)
})
