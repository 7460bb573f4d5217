/** Moving a folder as people do: by its menu in the tree. */
import type { Page } from 'playwright-core'

/** Resolves when it was told to move it and to write the links to its notes anew. */
export async function moveFolder(page: Page, from: string, to: string): Promise<void> {
  const nav = page.getByRole('navigation')
  await nav
    .getByRole('button', { name: `Actions for ${from}`, exact: false })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Rename or move' }).click()
  const field = page.getByRole('textbox', { name: 'Path in workspace' })
  await field.fill(to)
  await field.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Move and update links' }).click()
}
