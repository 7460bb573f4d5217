/** After a note is saved, the app names the line that it repeats, and offers once to replace an outdated one. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { AppEvent } from '../../../src/shared/contract/index.ts'
import { loadHostTexts } from '../../../src/main/app/texts.ts'
import { saveNote as remember } from '../../../src/main/app/cli/commands/remember-command.ts'
import { mainFolder, openTestApp, prepareFolders } from '../../support/app.ts'
import { until } from '../../support/folder.ts'

const main = { agent: 'main' }
const now = () => new Date('2026-11-22T12:00:00')
const files = {
  'memory/2026-11-02.md':
    '# 2026-11-02\n\n- 09:00 The rent is 1,450 euros a month.\n- 10:00 The boiler code is 7781.\n',
  'notes/房子.md': '# 房子\n\n- 停车费每月 600\n',
}

async function openMemory() {
  const test = await openTestApp({ files, now })
  const { client } = test
  const matches: Extract<AppEvent, { type: 'noteMatched' }>[] = []
  const controller = new AbortController()
  const events = await client.events.subscribe({ language: 'en' }, { signal: controller.signal })
  void (async () => {
    for await (const event of events) if (event.type === 'noteMatched') matches.push(event)
  })().catch(() => undefined)
  const read = (path: string) => readFile(join(test.workspace, path), 'utf8')
  const save = (text: string) => client.workspace.remember({ ...main, text })
  const open = async () => (await client.suggestions.list(main)).open
  return { ...test, client, matches, read, save, open }
}

it('a changed fact is offered after saving; replacing strikes the old line, and one undo restores it', async () => {
  const { client, matches, read, save, open } = await openMemory()
  const saved = await save('The rent goes up to 1,520 from June.')
  expect(await read(saved.path)).toContain('1,520')
  await until(() => matches.length > 0)
  const { proposal: suggestion = '', ...match } = matches[0] ?? {}
  expect(match).toMatchObject({ path: 'memory/2026-11-02.md', line: 3, text: 'The rent is 1,450 euros a month.' })
  const before = await read('memory/2026-11-02.md')
  expect(before, 'nothing changes unasked').toBe(files['memory/2026-11-02.md'])

  const { acceptance } = await client.suggestions.accept({ ...main, ids: [suggestion] })
  expect(await read('memory/2026-11-02.md')).toContain(
    '- ~~09:00 The rent is 1,450 euros a month.~~ (until 2026-11-22, now: [memory/2026-11-22.md:3] “12:00 The rent goes up to 1,520 from June.”)\n',
  )
  await client.suggestions.undo({ ...main, acceptance: acceptance ?? 0 })
  expect(await read('memory/2026-11-02.md')).toBe(before)
  await client.suggestions.refuse({ ...main, ids: [suggestion] })
  expect(await open(), 'both are kept').toEqual([])
})

it('notes in a row are compared one after the other, and a repeated one names the line', async () => {
  const { matches, save, open } = await openMemory()
  await Promise.all([
    save('停车费涨到 700 了'),
    save('Lunch with Anna at the harbour'),
    save('The boiler code is 7781'),
    save('The boiler code is now 4402'),
  ])
  await until(() => matches.length >= 3, 20_000)
  const found = matches.map(({ path, line, proposal: suggestion }) => [`${path}:${line}`, suggestion === undefined])
  expect(found.slice(0, 2)).toEqual([
    ['notes/房子.md:3', false],
    ['memory/2026-11-02.md:4', true],
  ])
  expect(found[2]?.[1], 'the last boiler code is replaced, in both notes').toBe(false)
  await until(async () => (await open()).length === 3)
  expect(new Set((await open()).map(({ rule }) => rule))).toEqual(new Set(['supersedes']))
})

it('in a terminal, the note is saved and the line that is alike is named', async () => {
  const { home, workspace } = await prepareFolders({ files })
  await loadHostTexts('', ['en'])
  const output = await remember(
    { mainFolder, env: {}, home, now },
    { agent: 'main' } as never,
    'The boiler code is now 4402',
  )
  expect(output).toMatchObject({
    text: 'memory/2026-11-22.md:3',
    warning: 'an earlier note is alike, memory/2026-11-02.md:4: The boiler code is 7781.',
  })
  expect(await readFile(join(workspace, 'memory/2026-11-22.md'), 'utf8')).toContain('4402')
})

it('a line with other facts is named but not struck', async () => {
  const { matches, save, open } = await openMemory()
  await save('Plumber: Jansen, 020 555 0142. He has our spare key.')
  await save('Plumber: Jansen, now 020 777 9000')
  await until(() => matches.length > 0)
  expect(matches[0]).toMatchObject({ path: 'memory/2026-11-22.md', line: 3, hasOtherFacts: true })
  expect(matches[0]?.proposal).toBeUndefined()
  expect(await open()).toEqual([])
})
