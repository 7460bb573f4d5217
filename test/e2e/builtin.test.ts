import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer, untouchedConfig } from '../support/app.ts'
import { closeBrowser, enter, openPage } from '../support/browser.ts'
import { connect } from '../support/client.ts'
import { until } from '../support/folder.ts'
import { rounds } from '../support/thorough.ts'

afterAll(closeBrowser)

const household = {
  'memory/family.md':
    '# Family\n\n- Our daughter starts kindergarten in September.\n- Dad retired from the railway after thirty-eight years.\n',
  'memory/money.md':
    '# Money\n\n- Put aside three hundred each month for the trip to Japan.\n- The mortgage is fixed until 2031.\n',
  'memory/school.md': '# Plans\n\n- Buy a satchel for our little girl’s preschool.\n',
  'memory/health.md':
    '# Health\n\n- The dentist will pull the wisdom tooth in March.\n\n- Blood pressure was 138 over 88.\n',
  'memory/boats.md': '# Boats\n\n- The dinghy has a hole below the waterline.\n',
  'memory/home.md': '# Home\n\n- The boiler is serviced every October.\n- 房东说一月起房租每个月多收三百块。\n',
}

describe('built-in embeddings', () => {
  const looks = [
    ['en-US', 'What each word gives to the similarity', 'Links', 'Similar notes'],
    ['zh-CN', '各个词对相似度的贡献', '链接', '相似笔记'],
  ] as const
  it.each(looks.slice(0, rounds(1, 2)))(
    '%s: finds a note by a paraphrase and shows which of its words matched',
    async (locale, shares, links, near) => {
      const server = await openTestServer({ files: household, config: untouchedConfig })
      const client = await connect(server.url)
      await until(async () => {
        const { units, embedded } = await client.search.status({ agent: 'main' })
        return units > 2 && embedded === units
      }, 30_000)
      const page = await openPage({ locale })
      await enter(page, server.url, '/inspect/found')
      await page.getByRole('main').getByRole('textbox').fill('When does our little girl begin preschool?')
      const found = page.getByTestId('candidate').filter({ hasText: 'starts kindergarten' })
      await found.locator('button[aria-expanded=false]').click()
      const words = page.getByRole('list', { name: shares })
      await words.waitFor()
      await words.getByText('preschool ≈ kindergarten').waitFor()
      const parts = await words.locator('[data-part=share]').allTextContents()
      const cosine = /(?:cosine|余弦) (-?[\d.]+)/.exec((await found.textContent()) ?? '')?.[1]
      expect(parts.reduce((sum, part) => sum + Number(part), 0)).toBeCloseTo(Number(cosine), 3)
      await page.goto(new URL('/file/memory/family.md', server.url).href)
      await page.getByRole('button', { name: links, exact: true }).click()
      await page
        .getByRole('region', { name: near })
        .getByRole('link', { name: /satchel/ })
        .click()
      await page.waitForURL(/school\.md#L3/)
    },
  )
})
