import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hostTexts } from '../../../src/shared/i18n/host-texts.ts'
import { runCommand } from '../../support/command.ts'
import { folderWith, temporaryFolder, writeFiles } from '../../support/folder.ts'
import { latinWords } from '../../support/latin-words.ts'

const files = {
  'MEMORY.md': '# 长期记忆\n\n- 锅炉编号是7781。\n- 房租每月1450欧元。\n',
  'memory/2026-01-20.md': '# 2026-01-20\n\n## 钢琴\n钢琴由佐藤先生调音。\n\n密码：hunter2 ^[private]\n',
}

async function openTerminal(language: string, config = '') {
  const home = await temporaryFolder()
  const workspace = await folderWith(files)
  const state = join(home, 'state')
  if (config !== '') await writeFiles(state, { 'config.yaml': config })
  const env = { COMMONPLACE_HOME: state, HOME: home, LC_ALL: '', LC_MESSAGES: '', LANG: language }
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, env)
    return { code, text: (stdout + stderr).replaceAll(home, '').replaceAll(workspace, '') }
  }
  return { home, workspace, run, inMemory: (...args: string[]) => run(...args, '--workspace', workspace) }
}

/** Words of the arguments below, which errors repeat. */
const typed = 'Foo foo frobnicate frob query queries nobody nowhere never file name after'.split(' ')

const commands = [
  'status',
  'index',
  'search',
  'explain',
  'eval',
  'remember',
  'ask',
  'sessions',
  'mcp',
  'serve',
  'get',
  'recent',
  'undo',
  'install',
  'import',
]

it.each([['zh-CN'], ['zh-TW']] as const)('the texts of the terminal in %s have no English words', (locale) => {
  const visit = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(Object(value)).flatMap(visit)
  const texts = visit(hostTexts[locale]).map((text) => text.replaceAll(/\{\{[^}]*\}\}/g, ' '))
  expect(texts.filter((text) => latinWords(text, ['closeTo']).length > 0)).toEqual([])
})

it('the terminal prints no English words beside its texts', async () => {
  const { run, inMemory } = await openTerminal('zh_CN.UTF-8')
  const outputs: string[] = []
  for (const name of commands) outputs.push((await run(name, '--help')).text)
  for (const name of ['show', 'export', 'import']) outputs.push((await run('history', name, '--help')).text)
  for (const args of [
    ['--help'],
    ['frobnicate'],
    ['search'],
    ['search', 'a', 'b'],
    ['search', 'a', '--max-results', '0'],
    ['search', 'a', '--max-results'],
    ['search', 'a', '--nothing'],
    ['get', 'MEMORY.md:99'],
    ['recent'],
    ['undo', 'x'],
    ['import', '/no/such/folder'],
    ['eval'],
    ['eval', '--queries', 'q', '--provider', 'x'],
    ['serve', '--port', 'x'],
    ['mcp', '--dry-run'],
    ['mcp', '--install', 'foo'],
    ['status', '--agent', 'Foo'],
    ['history', 'import', '--git', '/no/such/folder'],
    ['history', 'export', '--git', '/tmp'],
    ['eval', '--queries', '/etc/hostname'],
    ['ask', ''],
    ['mcp', '--install', 'cursor', '--dry-run'],
    ['search', 'a', '--workspace', '/no/such/folder'],
    ['status', '--agent', 'nobody'],
  ])
    outputs.push((await run(...args)).text)
  for (const args of [
    ['status'],
    ['index'],
    ['search', '锅炉编号是多少？'],
    ['search', '锅炉和大象'],
    ['search', '上周的房租'],
    ['search', 'after:昨日 房租'],
    ['search', '量子力学'],
    ['explain', '锅炉编号', '--why', 'MEMORY.md:4'],
    ['explain', '锅炉编号', '--why', 'MEMORY.md:900'],
    ['explain', '锅炉编号', '--why', 'nowhere'],
    ['remember', '无线网密码：hunter3'],
    ['remember', '锅炉编号是7781。'],
    ['remember', ' '],
    ['ask', '锅炉编号是多少？'],
    ['ask', '/status'],
    ['ask', '/new'],
    ['ask', '/compact'],
    ['ask', '/remember'],
    ['ask', '/frob'],
    ['ask', '你好', '--session', 'none'],
    ['ask', '你好', '--model', 'openai/none'],
    ['sessions'],
    ['history', 'show', 'MEMORY.md'],
    ['history', 'show', 'none.md'],
    ['history', 'show', 'MEMORY.md', '--at', 'never'],
  ])
    outputs.push((await inMemory(...args)).text)
  const found = outputs.flatMap((text) => text.split('\n').filter((line) => latinWords(line, typed).length > 0))
  expect([...new Set(found)]).toEqual([])
}, 240_000)

it('explains faults of the settings in Chinese', async () => {
  for (const config of [
    'agents: { list: [\n',
    'history: 1\n',
    'agents: { defaults: { memory: { search: { minScore: 7 } } } }\n',
    'interface: { theme: pink }\n',
    'nothing: 1\n',
  ]) {
    const { inMemory } = await openTerminal('zh_CN.UTF-8', config)
    const { text } = await inMemory('status')
    expect(text).toMatch(/config\.yaml:\d+/)
    expect([
      config,
      latinWords(text, ['agents', 'list', 'history', 'interface', 'theme', 'light', 'dark', 'nothing']),
    ]).toEqual([config, []])
  }
}, 60_000)

it('uses the language of the settings before the one of the system', async () => {
  const { run } = await openTerminal('zh_CN.UTF-8', 'interface: { locale: zh-TW }\n')
  expect((await run('--help')).text).toContain('搜尋記憶')
  const english = await openTerminal('zh_CN.UTF-8', 'interface: { locale: en }\n')
  expect((await english.run('--help')).text).toContain('search the memory')
  const other = await openTerminal('de_DE.UTF-8')
  expect((await other.run('--help')).text).toContain('search the memory')
})
