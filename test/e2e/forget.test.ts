import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, enter, openPage, visit } from '../support/browser.ts'

afterAll(closeBrowser)

const aboutLisa = {
  'MEMORY.md': '# Long-term memory\n\n## People\n\n- Lisa Kessler has diabetes.\n- Anna leads design.\n',
  'memory/2026-11-02.md':
    '# 2026-11-02\n\n## 09:00 - Call\n\nLisa Kessler called about the results.\nThe plumber came.\n',
  'notes/lisa-kessler.md': '# A talk\n\nNothing else.\n',
  'notes/seeds.md': '# Garden\n\nLisa Kessler gave us seeds.\n',
  'notes/doctor.md': '# Doctor\n\nThe insulin pump for Lisa was ordered on Monday.\n',
}

describe('erasure', () => {
  it('finds, confirms and erases but keeps excluded notes; Chinese, phone size', async () => {
    const config =
      'agents:\n  defaults: { memory: { embedding: { provider: builtin } } }\n  list: [{ id: main, workspace: "{{workspace}}" }]\n'
    const server = await openTestServer({ files: aboutLisa, config })
    const oldHistory = join(server.home, 'history/main/repository.git')
    await mkdir(oldHistory, { recursive: true })
    await writeFile(join(oldHistory, 'HEAD'), 'x'.repeat(2000))
    const read = (path: string) => readFile(join(server.workspace, path), 'utf8')
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('link', { name: 'Suggestions' }).waitFor()
    await page.keyboard.press('Control+K')
    await page.getByPlaceholder('Type a command').fill('delete permanently')
    await page.keyboard.press('Enter')
    const view = page.getByTestId('forget')
    await view.getByRole('textbox').fill('Lisa Kessler')
    await page.keyboard.press('Enter')
    await view.getByRole('heading', { name: 'Notes' }).waitFor()
    await view.getByRole('heading', { name: 'Not deleted' }).waitFor()
    expect(await view.getByRole('region', { name: 'Old histories' }).innerText()).toMatch(
      /history\/main\/repository\.git\s+May contain the text\s+2\skB/,
    )

    const phone = await openPage({ locale: 'zh-CN', viewport: { width: 360, height: 740 } })
    await enter(phone, server.url, '/forget')
    await phone.getByTestId('forget').getByRole('textbox').fill('Lisa Kessler')
    await phone.keyboard.press('Enter')
    await phone.getByRole('heading', { name: '无法删除的内容' }).waitFor()
    const overflow = await phone.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
    expect(overflow).toBe(false)
    await phone.close()

    await view.getByRole('checkbox', { name: 'notes/seeds.md' }).uncheck()
    await view.getByText('insulin pump').click()
    await view.getByRole('button', { name: 'Delete everywhere' }).click()
    const deletesOldHistory = page.getByRole('checkbox', { name: 'Also delete the old histories completely' })
    expect(await deletesOldHistory.isChecked()).toBe(false)
    await deletesOldHistory.check()
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    const done = view.getByTestId('forgotten')
    await done.getByText('Remaining places').waitFor({ timeout: 30_000 })
    expect(await done.innerText()).toContain('notes/seeds.md')
    expect(existsSync(oldHistory)).toBe(false)
    expect(await read('MEMORY.md')).toBe('# Long-term memory\n\n## People\n\n- Anna leads design.\n')
    expect(await read('notes/doctor.md')).toBe('# Doctor\n\n')
    await expect(read('notes/lisa-kessler.md')).rejects.toThrow('ENOENT')
    expect(await read('notes/seeds.md')).toBe(aboutLisa['notes/seeds.md'])
    // The memory reopens after the erasure.
    await visit(page, '/file/memory/2026-11-02.md')
    await page.getByText('The plumber came.').first().waitFor()
  }, 120_000)
})
