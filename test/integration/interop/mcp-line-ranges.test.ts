/** Places behind the end of a note, and inside a surrogate pair. */
import { rename } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openTestServer } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { connectClient, type Answer } from '../../support/mcp-clients.ts'

async function open(files: Readonly<Record<string, string>>) {
  const server = await openTestServer({ files })
  const app = await connect(server.url)
  const { token } = await app.clients.issueToken({ client: 'reader', name: 'Reader', agent: 'main' })
  await app.search.settle({ agent: 'main' })
  return { ...server, ...(await connectClient('v2', { url: new URL('/mcp', server.url).href, token })) }
}

const saidBy = ({ content }: Answer) => content.map(({ text }) => text).join('')
const insideOf = (text: string) => text.slice(text.indexOf('\n') + 1, -'\n</memory>'.length)

it('reports places behind the end of a note or a line', async () => {
  const { call } = await open({ 'four.md': '# Four\n\nabc\nlast\n', 'empty.md': '' })
  for (const [tool, args, said] of [
    ['memory_get', { path: 'four.md', from: Number.MAX_SAFE_INTEGER }, /^four\.md has 4 lines: there is no line 9007/],
    ['memory_get', { path: 'four.md', from: 5 }, /has 4 lines/],
    ['memory_get', { path: 'four.md', from: 3, fromCharacter: 4 }, /^line 3 of four\.md has 3 characters/],
    ['memory_get', { path: 'empty.md', from: 2 }, /has no lines/],
    ['fetch', { id: 'four.md:99' }, /^four\.md has 4 lines: there is no line 99/],
    ['fetch', { id: 'four.md:5' }, /has 4 lines/],
    ['fetch', { id: 'four.md:3+50' }, /has 3 characters/],
  ] as const) {
    const answer = await call(tool, args)
    expect(answer.isError, saidBy(answer)).toBe(true)
    expect(saidBy(answer)).toMatch(said)
  }
  for (const [from, text] of [
    [2, '\nabc\nlast'],
    [4, 'last'],
  ] as const) {
    const { structuredContent } = await call('memory_get', { path: 'four.md', from })
    expect(structuredContent).toMatchObject({ startLine: from, endLine: 4, text: `<memory>\n${text}\n</memory>` })
  }
  expect((await call('memory_get', { path: 'empty.md' })).structuredContent).toMatchObject({ totalLines: 0 })
  for (const [args, same] of [
    [{ path: '[four.md:3]' }, { path: 'four.md', from: 3, lines: 1 }],
    [{ path: 'four.md:3-4' }, { path: 'four.md', from: 3, lines: 2 }],
    [
      { path: 'four.md:3-4', from: 1 },
      { path: 'four.md', from: 1 },
    ],
  ] as const)
    expect(await call('memory_get', args)).toEqual(await call('memory_get', same))
  expect(saidBy(await call('memory_get', { path: 'four.md:5' }))).toMatch(/^four\.md has 4 lines/)
})

it('every tool reports a missing workspace, and works when it is back', async () => {
  const { call, client, workspace } = await open({ 'four.md': '# Four\n\nabc\nlast\n' })
  await rename(workspace, `${workspace}-away`)
  const gone = /is not there: put the folder back.* Tell the user: the folder has to be put back/
  for (const [tool, args] of [
    ['memory_search', { query: 'abc' }],
    ['memory_search', { query: 'nowhere at all' }],
    ['memory_get', { path: 'four.md' }],
    ['memory_explain', { query: 'abc' }],
    ['memory_recent', {}],
    ['search', { query: 'abc' }],
    ['fetch', { id: 'four.md:1' }],
    ['remember', { text: 'a note' }],
  ] as const) {
    const answer = await call(tool, args)
    expect(answer.isError, tool).toBe(true)
    expect(saidBy(answer), tool).toMatch(gone)
  }
  await expect(client.readResource({ uri: 'note://four.md' })).rejects.toThrow(gone)
  await expect(client.listResources()).rejects.toThrow(gone)
  await rename(`${workspace}-away`, workspace)
  expect(saidBy(await call('memory_get', { path: 'four.md' }))).toContain('abc')
})

it('cuts no character in two, and a long line of emoji can be reassembled', async () => {
  const line = `a${'🌳🏽'.repeat(9001)} end`
  const { call } = await open({ 'trees.md': `${line}\nlast\n` })
  const isWhole = (text: string) => text.isWellFormed() && !text.includes('\uFFFD')
  for (const fromCharacter of [1, 2, 3, 4, 5]) {
    const { structuredContent } = await call('memory_get', { path: 'trees.md', fromCharacter })
    const begins = insideOf(String(structuredContent?.['text']))
    expect(isWhole(begins), `from ${fromCharacter}`).toBe(true)
    const wanted = fromCharacter === 3 || fromCharacter === 5 ? fromCharacter + 1 : fromCharacter
    expect(begins.slice(0, 20)).toBe(line.slice(wanted - 1, wanted + 19))
  }
  for (const first of [1, 3]) {
    for (const maxTokens of [500, 501]) {
      let read = ''
      for (let at: number | undefined = first; at !== undefined;) {
        const args = { path: 'trees.md', lines: 1, fromCharacter: at, maxTokens: read === '' ? maxTokens : 20_000 }
        const { text, leftOut } = (await call('memory_get', args)).structuredContent as {
          text: string
          leftOut?: { howToGet: string }
        }
        const next = /fromCharacter: (\d+)/.exec(leftOut?.howToGet ?? '')?.[1]
        read += next === undefined ? insideOf(text) : insideOf(text).slice(0, -1)
        at = next === undefined ? undefined : Number(next)
      }
      expect(read === line.slice(first === 3 ? 3 : first - 1), `${first}, ${maxTokens} tokens`).toBe(true)
    }
    let fetched = ''
    for (let id: string | undefined = `trees.md:1+${first}`; id !== undefined;) {
      const { text, metadata } = (await call('fetch', { id })).structuredContent as {
        text: string
        metadata: { more?: string }
      }
      id = /^fetch (.+)$/.exec(metadata.more ?? '')?.[1]
      const piece = insideOf(text)
      fetched += piece.endsWith('…') ? piece.slice(0, -1) : piece
    }
    expect(fetched === `${line.slice(first === 3 ? 3 : first - 1)}\nlast`, `fetched from ${first}`).toBe(true)
  }
}, 60_000)
