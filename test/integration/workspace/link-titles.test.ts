import { expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'

it('returns the title from the front matter or the first heading', async () => {
  const { client } = await openTestApp({
    files: {
      'a.md': '---\ntitle: From the front\n---\n# Heading\n',
      'b.md': '## Below\n\n# First one\n\n# Second\n',
      'c.md': 'Nothing.\n\n## Only below\n',
    },
  })
  const titles = await client.links.titles({ agent: 'main' })
  expect(titles.filter(({ path }) => /^[abc]\.md$/.test(path))).toEqual([
    { path: 'a.md', title: 'From the front' },
    { path: 'b.md', title: 'First one' },
  ])
})

it('returns the note and the line of a block id', async () => {
  const id = '60ab6f5b-4bdc-4ef0-a0f8-6cad9dcad2b2'
  const { client } = await openTestApp({
    files: { 'pages/a.md': `- one\n\t- TODO *two*\n\t  collapsed:: true\n\t  id:: ${id}\n` },
  })
  expect(await client.links.block({ agent: 'main', id })).toEqual({ path: 'pages/a.md', line: 2, text: '- TODO *two*' })
  expect(await client.links.block({ agent: 'main', id: id.replace('6', '7') })).toBeNull()
})
