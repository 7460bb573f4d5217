import { expect, it } from 'vitest'
import { cachedStatistics } from '../../../src/main/app/agents/list-files.ts'

const fileOf = (path: string, size = 10) => ({ path, size, modifiedAt: 1 })

it('reads a file again only after a change', async () => {
  const read: string[] = []
  const load = cachedStatistics(async (path) => {
    read.push(path)
    return 'two words'
  })
  expect((await load([fileOf('a.md')])).get('a.md')).toMatchObject({ words: 2, privacy: 0 })
  expect((await load([fileOf('a.md')])).get('a.md')).toMatchObject({ words: 2, privacy: 0 })
  await load([fileOf('a.md', 11)])
  expect(read).toEqual(['a.md', 'a.md'])
})

it('has no statistics of a file that cannot be read', async () => {
  const load = cachedStatistics(() => Promise.reject(new Error('no access')))
  expect([...(await load([fileOf('a.md')]))]).toEqual([])
})
