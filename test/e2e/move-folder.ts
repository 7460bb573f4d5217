import type { Page } from 'playwright-core'

/** Moves a folder with its menu in the tree. Resolves when the move with updated links has been requested. */
export async function moveFolder(page: Page, from: string, to: string): Promise<void> {
  const nav = page.getByRole('navigation')
  await nav
    .getByRole('link', { name: /^Notes/ })
    .first()
    .click()
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
