import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'
import { startModelServer } from '../support/model-server.ts'

afterAll(closeBrowser)

describe('notes found for a message', () => {
  it('are a line below the message that opens, and can be turned off for the chat', async () => {
    const model = await startModelServer({ text: 'Karl Winter did, in May 2025 [notes/home.md:3].' }, { text: 'Fine.' })
    const server = await openTestServer({
      files: {
        'notes/home.md':
          '# Home\n\n- The boiler was serviced by Karl Winter in May 2025.\n- The boiler is a Vaillant from 2011.\n',
      },
      config: `providers: { anthropic: { baseUrl: "${model.url}" } }
agents:
  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/test-model }]
`,
      env: { ANTHROPIC_API_KEY: 'sk-test-key' },
    })
    const page = await openPage()
    await page.goto(server.url)
    const send = async (text: string) => {
      await page.getByRole('textbox', { name: 'Message' }).fill(text)
      await page.keyboard.press('Enter')
    }
    await send('Who serviced the boiler?')
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
    await send('Who made the boiler?')
    await page.getByText('Fine.').waitFor()
    expect(await page.getByTestId('recalled').count()).toBe(1)
    await result.getByRole('link', { name: /home/ }).first().click()
    await page.waitForURL(/home\.md/)
  })
})
