/** What notes are called by their own texts, for vaults whose links are shown so. */
import { createRouterClient } from '@orpc/server'
import { expect, it } from 'vitest'
import { createRouter } from '../../src/main/router/index.ts'
import { openTestApp } from '../support/app.ts'

it('M66: notes are told with the title that their front matter or their first heading gives them', async () => {
  const test = await openTestApp({
    files: {
      'a.md': '---\ntitle: From the front\n---\n# Heading\n',
      'b.md': '## Below\n\n# First one\n\n# Second\n',
      'c.md': 'Nothing.\n\n## Only below\n',
    },
  })
  const { links } = createRouterClient(createRouter(test.app))
  const titles = await links.titles({ agent: 'main' })
  expect(titles.filter(({ path }) => /^[abc]\.md$/.test(path))).toEqual([
    { path: 'a.md', title: 'From the front' },
    { path: 'b.md', title: 'First one' },
  ])
})
