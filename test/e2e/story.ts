/** The first user story, shared by the tests of each transport. */
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { until } from '../support/folder.ts'

export interface StoryPlace {
  readonly page: Page
  readonly url: string
  readonly workspace: string
}

export async function tellFirstStory({ page, url, workspace }: StoryPlace): Promise<void> {
  await page.goto(url)
  await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(workspace)
  await page.getByRole('button', { name: 'Start' }).click()

  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill('Remember that we chose PostgreSQL for the database')
  await composer.press('Enter')
  const card = page.getByTestId('diff-card')
  await card.waitFor()
  expect(await card.innerText()).toContain('we chose PostgreSQL for the database')

  // MEMORY.md changes on disk; the app finds the line within 2 s.
  await page.getByTestId('answer').first().waitFor()
  await appendFile(join(workspace, 'MEMORY.md'), '\n- 2026-01-20: The mascot of Acme is a walrus\n')
  await composer.fill('Who is the mascot of Acme?')
  await until(async () => {
    await composer.fill('Who is the mascot of Acme?')
    await composer.press('Enter')
    await page.getByTestId('answer').last().waitFor()
    await page.waitForFunction(() => document.querySelectorAll('[data-testid=answer]').length > 1)
    return (await page.getByTestId('answer').last().innerText()).includes('walrus')
  })

  await composer.fill('Which database did we choose?')
  await composer.press('Enter')
  await page.getByText('“Which database did we choose?”').waitFor()
  const answer = page.getByTestId('answer').last()
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-testid=answer]')].at(-1)?.textContent?.includes('we chose PostgreSQL'),
  )
  const citation = answer.getByRole('link').last()
  expect(await citation.innerText()).toMatch(/^memory\/\d{4}-\d{2}-\d{2}\.md:3$/)
  await page.getByRole('button', { name: 'Details' }).click()
  await page
    .getByText(/^\d+ of \d+ candidates$/)
    .first()
    .waitFor()

  // The citation opens the file at its line; saving there updates the index.
  const log = (await citation.innerText()).replace(/:3$/, '')
  await citation.click()
  await page.locator('.monaco-editor .view-lines').waitFor()
  await page.locator('.found-line').waitFor()
  expect(new URL(page.url()).hash).toBe('#L3')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('The staging password lives in the zeppelin vault')
  await page.getByText('Unsaved').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByText('Saved', { exact: true }).waitFor()
  expect(await readFile(join(workspace, log), 'utf8')).toContain('zeppelin vault')

  await page.keyboard.press('Control+Shift+f')
  await page.getByRole('combobox', { name: 'Search' }).fill('zeppelin vault')
  await page.getByTestId('result').first().getByText('zeppelin').waitFor()
  await page.keyboard.press('Tab')
  await page.getByText('This line contains “zeppelin” and “vault”.').waitFor()
  await page.getByRole('link', { name: 'Show all possible results in Inspect' }).click()
  const row = page.getByTestId('candidate').first()
  await row.waitFor()
  expect(await row.getAttribute('data-verdict')).toBe('returned')
  await row.getByRole('link', { name: /^memory\/\d{4}-\d{2}-\d{2}\.md:\d+(–\d+)?$/ }).waitFor()
  expect(await row.innerText()).toMatch(/\d+%\s+Result #1$/)

  await page.getByRole('link', { name: 'Sent' }).click()
  const table = page.getByRole('table')
  await table.getByText('AGENTS.md').waitFor()
  for (const layer of ['System', 'Project context', 'Daily logs']) expect(await table.innerText()).toContain(layer)
}
