import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'
import { rounds } from '../support/thorough.ts'

afterAll(closeBrowser)

const maxClicks = 6
const maxMeanKeys = 6
const rowsLookedAt = 3

/** Notes with the words that their writer typed to find them again. */
const notes: readonly (readonly [text: string, ...queries: string[]])[] = [
  ['Nora is allergic to cashews, pistachios too; EpiPen is in the hall drawer', 'nora allergy', 'epipen where', 'nuts'],
  [
    'Boiler service is due every October, call Harris Heating on 0161 496 0233',
    'boiler service',
    'heating engineer phone',
    'Harris',
  ],
  [
    'Electrician who did the kitchen lights: Wes, 0161 496 0871, cash only',
    'electrician',
    'Wes number',
    'who did the kitchen lights',
  ],
  [
    'Rent on the allotment went up from £42 to £55 a year, due 1 April',
    'allotment rent',
    'allotment cost',
    'when is the plot payment due',
  ],
  [
    "Grandad's birthday is 9 November, he turns 85 this year and wants no fuss",
    'grandad birthday',
    'how old is grandad',
    '9 november',
  ],
  [
    'Joel takes a medium in jumpers, 32 long in jeans and size 10 in shoes',
    'joel sizes',
    'joel jeans',
    'what shoe size is my Joel',
  ],
  [
    'Dr. Amadi put me on 20 mg omeprazole, half an hour before breakfast, for eight weeks',
    'omeprazole',
    'stomach tablets',
    'when do I take the medicine',
  ],
  [
    'Car MOT runs out on 17 June, Castle Garage wants the locking wheel nut key',
    'MOT',
    'Castle Garage',
    'what to bring to the garage',
  ],
  [
    'Pepper the cat eats only the renal kidney food now, a pouch morning and night',
    'pepper food',
    'cat diet',
    'kidney',
  ],
  [
    'Wifi at the cabin: network PineLodge, password is otter-marble-31',
    'cabin wifi',
    'PineLodge',
    'internet password at the cabin',
  ],
  [
    'We picked Stripe over Adyen because our volume is too small for their minimum fee',
    'why stripe',
    'payment provider',
    'adyen',
  ],
  [
    'Team sync moved from Monday to Thursday 11:00 so that Lisbon can join',
    'team sync',
    'when is the weekly meeting',
    'Lisbon',
  ],
  [
    'Banana bread: three very ripe bananas, 180 g sugar, 55 minutes at 170',
    'banana bread',
    'how long to bake the loaf',
    'ripe bananas',
  ],
  ['Lent Piranesi to Hannah in May, she is taking it to Crete', 'piranesi', 'Hannah book', 'who has my novel'],
  [
    'Ferry to Mull is booked for 22 August at 10:15, be in Oban forty minutes early',
    'ferry',
    'Mull',
    'when do we need to be in Oban',
  ],
]

it('connects a model, keeps notes and finds each after few keys', async () => {
  const model = await startModelServer({ text: 'Noted.' })
  const server = await openTestServer({ config: '', env: { OLLAMA_HOST: new URL(model.url).host } })
  const page = await openPage()
  let clicks = 0
  await page.exposeFunction('countClick', () => (clicks += 1))
  await page.addInitScript("addEventListener('pointerdown', () => countClick(), { capture: true })")
  await page.goto(server.url)
  await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(join(await temporaryFolder(), 'm'))
  await page.getByRole('button', { name: /^Use test-model/ }).click()
  await page.getByText('You are now using test-model.').waitFor()
  await page.getByRole('button', { name: 'Start' }).click()
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill('Hello')
  await composer.press('Enter')
  await page.getByTestId('answer').first().waitFor()
  expect(clicks).toBeLessThanOrEqual(maxClicks)

  const kept = notes.slice(0, rounds(6, notes.length))
  for (const [at, [text]] of kept.entries()) {
    await composer.fill(`/remember ${text}`)
    await composer.press('Enter')
    await page.getByTestId('diff-card').nth(at).waitFor()
  }
  const keys: number[] = []
  for (const [text, ...queries] of kept)
    for (const query of queries.slice(0, rounds(2, 3))) {
      await page.keyboard.press('Control+k')
      const field = page.getByPlaceholder(/command/)
      const shown = async () => (await page.getByTestId('result').allInnerTexts()).slice(0, rowsLookedAt).join('\n')
      let count = 0
      do {
        await field.press(query.charAt(count))
        count += 1
        await page.locator('[cmdk-list][aria-busy=false]').waitFor()
      } while (count < query.length && !(await shown()).includes(text))
      keys.push(count)
      await page.keyboard.press('Escape')
    }
  const mean = keys.reduce((sum, count) => sum + count, 0) / keys.length
  expect(mean).toBeLessThanOrEqual(maxMeanKeys)
}, 180_000)
