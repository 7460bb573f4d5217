import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { AppError } from '../../../src/shared/util/errors.ts'
import { openTestApp } from '../../support/app.ts'
import { temporaryFolder, until, writeFiles } from '../../support/folder.ts'

const secret = 'the combination is 9-31-44'
const origin = { cause: 'agent' as const }

/** Two agents; the workspace of the second is inside that of the first. */
async function openTwo(shareWith = '', watch = true) {
  const root = await temporaryFolder()
  const theirs = join(root, 'theirs')
  await writeFiles(theirs, {
    'MEMORY.md': `# Memory\n\n- ${secret}\n`,
    'memory/safe.md': `The safe: ${secret}.\n`,
    'notes/plan.md': 'A plan that is no memory.\n',
  })
  const config = `agents:
  list:
    - { id: main, workspace: "{{workspace}}" }
    - { id: work, workspace: "${theirs}"${shareWith === '' ? '' : `, memory: { shareWith: [${shareWith}] }`} }
    - { id: nested, workspace: "{{workspace}}/memory/nested" }
`
  const test = await openTestApp({
    files: {
      'memory/mine.md': 'Mine: the garden gate is green.\n',
      'memory/nested/MEMORY.md': `# Nested\n\n- ${secret}\n`,
      'memory/nested/memory/a.md': `Nested: ${secret}.\n`,
    },
    config,
    watch,
  })
  const main = await test.app.agents.get('main')
  await main.memory.settle(10_000)
  return { ...test, theirs, main }
}

describe('isolation of agents', () => {
  let attempts = 0
  let escapes = 0
  afterAll(() => void process.stdout.write(`isolation: ${attempts} attempts, ${escapes} escapes\n`))

  /** Runs a request and counts it. An escape returns the secret, or succeeds although it must fail. */
  async function attempt(work: () => Promise<unknown>, mustFail: boolean): Promise<void> {
    attempts += 1
    try {
      const got = JSON.stringify((await work()) ?? '')
      if (mustFail || got.includes(secret)) escapes += 1
    } catch (error) {
      expect(error).toBeInstanceOf(AppError)
      expect(String(error)).not.toContain(secret)
    }
  }

  it('does not follow a link that replaces a folder between check and use', async () => {
    const { main, theirs, workspace } = await openTwo('', false)
    await mkdir(join(workspace, 'swap'), { recursive: true })
    await writeFile(join(workspace, 'swap/MEMORY.md'), 'harmless\n')
    const stop = new AbortController()
    const swap = async () => {
      while (!stop.signal.aborted) {
        await rename(join(workspace, 'swap'), join(workspace, 'aside'))
        await symlink(theirs, join(workspace, 'swap'))
        await rm(join(workspace, 'swap'))
        await rename(join(workspace, 'aside'), join(workspace, 'swap'))
      }
    }
    const swapping = swap()
    for (let round = 0; round < 500; round += 1)
      await attempt(async () => (await main.workspace.read('swap/MEMORY.md')).text, false)
    stop.abort()
    await swapping
    expect(escapes).toBe(0)
  }, 60_000)

  it('hard links, pipes and devices change no foreign file and do not hang', async () => {
    const { main, theirs, workspace } = await openTwo()
    await link(join(theirs, 'memory/safe.md'), join(workspace, 'hard.md'))
    execFileSync('mkfifo', [join(workspace, 'pipe.md')])
    await main.workspace.write('hard.md', 'replaced\n', origin)
    expect(await readFile(join(theirs, 'memory/safe.md'), 'utf8')).toContain(secret)
    await attempt(() => main.workspace.read('pipe.md'), true)
    await attempt(() => main.workspace.read('memory'), true)
    const { files } = await main.workspace.list()
    expect(files.map(({ path }) => path)).not.toContain('pipe.md')
    expect(escapes).toBe(0)
  })

  it('search, file list and export contain nothing from other agents', async () => {
    const { main } = await openTwo()
    for (const query of [secret, 'safe', 'combination', 'nested', '9-31-44']) {
      await attempt(async () => (await main.memory.search(query, { minScore: 0 })).results, false)
      await attempt(async () => (await main.memory.explain(query, { minScore: 0 })).candidates, false)
    }
    await attempt(() => main.workspace.list(), false)
    const { files } = await main.workspace.list()
    expect(files.map(({ path }) => path).filter((path) => path.includes('nested'))).toEqual([])
    expect(escapes).toBe(0)
  })
})

describe('a shared memory', () => {
  it('the named agent can search, cite and read it but not write, until sharing ends', async () => {
    const { app, main, theirs, workspace } = await openTwo('main')
    const { results } = await main.memory.search('what is the combination of the safe', { minScore: 0 })
    const shared = results.find(({ path }) => path === '@work/memory/safe.md')
    expect(shared).toMatchObject({ source: 'shared' })
    expect((await main.workspace.read('@work/memory/safe.md')).text).toContain(secret)
    for (const path of ['@work/notes/plan.md', '@work/../theirs/notes/plan.md', '@work/memory/../notes/plan.md'])
      await expect(main.workspace.read(path)).rejects.toMatchObject({ code: 'path_outside_workspace' })
    const refused = { code: 'path_outside_workspace' }
    await expect(main.workspace.write('@work/memory/safe.md', 'x', origin)).rejects.toMatchObject(refused)
    await expect(
      main.workspace.runTransaction({ move: { from: 'memory/mine.md', to: '@work/memory/mine.md' } }, [], origin),
    ).rejects.toMatchObject(refused)
    await expect(main.workspace.remove('@work/memory/safe.md', origin)).rejects.toMatchObject(refused)
    expect(existsSync(join(workspace, '@work'))).toBe(false)
    expect(await readFile(join(theirs, 'memory/safe.md'), 'utf8')).toContain(secret)

    await writeFile(join(theirs, 'memory/new.md'), 'The zebra is in the lift.\n')
    await until(async () => (await main.memory.search('zebra lift', { minScore: 0 })).results.length > 0)

    await app.agents.setReaders('work', [])
    await until(async () => {
      const found = (await main.memory.search('zebra lift', { minScore: 0 })).results
      return found.every(({ path }) => !path.startsWith('@work'))
    })
    await expect(main.workspace.read('@work/memory/safe.md')).rejects.toMatchObject({ code: 'file_not_found' })
  }, 30_000)
})

describe('agents', () => {
  it('creates, renames, archives and restores agents and keeps the comments of the file', async () => {
    const { app, home, workspace } = await openTestApp({
      watch: true,
      config:
        '# mine\nagents:\n  list:\n    # the first\n    - { id: main, workspace: "{{workspace}}", archived: false, memory: { shareWith: [main] } }\n',
    })
    const folder = join(await temporaryFolder(), 'other')
    const made = await app.agents.create({ name: 'Haus & Garten', workspace: folder, locale: 'en' })
    expect(made).toEqual({ agent: 'haus-garten', workspace: folder })
    expect(existsSync(join(folder, 'MEMORY.md'))).toBe(true)
    await expect(app.agents.create({ name: 'x', workspace, locale: 'en' })).rejects.toMatchObject({
      code: 'folder_taken',
    })
    await expect(app.agents.create({ name: 'x', workspace: join(home, 'x'), locale: 'en' })).rejects.toMatchObject({
      code: 'folder_taken',
    })
    await expect(app.agents.setUp('haus-garten', workspace, 'en')).rejects.toMatchObject({ code: 'folder_taken' })
    await app.agents.update('haus-garten', { name: '家', color: '#123456' })
    await app.agents.update('main', { archived: true })
    await expect(app.agents.update('haus-garten', { archived: true })).rejects.toMatchObject({ code: 'last_agent' })
    expect(await app.agents.list()).toMatchObject([
      { id: 'main', archived: true },
      { id: 'haus-garten', name: '家', color: '#123456', archived: false },
    ])
    await app.agents.update('main', { archived: false })
    const { agent } = await app.agents.create({ name: '工作', workspace: join(folder, '..', 'third'), locale: 'zh-CN' })
    expect(agent).toBe('agent')
    const text = await readFile(join(home, 'config.yaml'), 'utf8')
    expect(text).toContain('# mine')
    expect(text).toContain('# the first')
  })

  it('two agents answer at the same time and stay separate', async () => {
    const { app, main } = await openTwo()
    const work = await app.agents.get('work')
    const [one, other] = await Promise.all([
      main.chat.send({ text: 'Remember that the tea is in the left cupboard.' }),
      work.chat.send({ text: 'What is the combination?' }),
    ])
    await Promise.all([one.ended, other.ended])
    const said = async (agent: typeof main, session: string) =>
      JSON.stringify((await agent.sessions.get(session)).messages())
    expect(await said(work, other.session)).toContain('9-31-44')
    expect(await said(main, one.session)).not.toContain('9-31-44')
    const found = (await work.memory.search('tea cupboard', { minScore: 0 })).results
    expect(found.filter(({ snippet }) => snippet.includes('cupboard'))).toEqual([])
    await expect(work.sessions.get(one.session)).rejects.toMatchObject({ code: 'unknown_session' })
  })
})
