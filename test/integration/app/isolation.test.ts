import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, link, mkdir, readdir, readFile, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { call, ORPCError } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRouter } from '../../../src/main/app/api/router.ts'
import { builtInTools } from '../../../src/main/agent/tools/built-in-tools.ts'
import type { ToolContext } from '../../../src/main/agent/tools/tool.ts'
import { isHidden, isNote } from '../../../src/main/workspace/files/file-names.ts'
import { attachmentType } from '../../../src/shared/util/attachments.ts'
import { contract } from '../../../src/shared/contract/index.ts'
import { AppError, errorCodes } from '../../../src/shared/util/errors.ts'
import { openTestApp } from '../../support/app.ts'
import { until, writeFiles } from '../../support/folder.ts'
import { rounds } from '../../support/thorough.ts'

const secret = 'the combination is 9-31-44'
const origin = { cause: 'agent' as const }

/** A workspace with protected files inside and around it. */
async function openFortress() {
  const config = `agents:
  list:
    - { id: main, workspace: "{{workspace}}" }
    - { id: work, workspace: "{{workspace}}/../theirs" }
    - { id: nested, workspace: "{{workspace}}/memory/nested" }
`
  const test = await openTestApp({
    watch: true,
    config,
    files: {
      'memory/mine.md': 'Mine.\n',
      'memory/nested/MEMORY.md': `${secret}\n`,
      '.git/config': `[credential] ${secret}\n`,
      '.git/hooks/readme.md': `${secret}\n`,
      '.env': `KEY=${secret}\n`,
      'notes/.hidden.md': `${secret}\n`,
      'tool.sh': '#!/bin/sh\n',
      'run.md': '#!/bin/sh\n',
      'package.json': '{}\n',
    },
  })
  const { workspace, home } = test
  const root = dirname(workspace)
  await writeFiles(root, { 'theirs/MEMORY.md': `${secret}\n`, 'outside.md': `${secret}\n`, 'hard.md': 'hard\n' })
  await writeFiles(home, { 'secret.md': `${secret}\n` })
  for (const name of ['tool.sh', 'run.md']) await chmod(join(workspace, name), 0o755)
  const links: [target: string, name: string][] = [
    [join(root, 'theirs'), 'link'],
    [join(root, 'theirs/MEMORY.md'), 'link.md'],
    [join(workspace, '.git'), 'repository'],
    [join(workspace, '.env'), 'environment.md'],
    [join(workspace, 'tool.sh'), 'script.md'],
    [join(root, 'made.md'), 'dangling.md'],
    [join(root, 'made'), 'dangling'],
    [home, 'state'],
    ['/', 'everything'],
    ['/dev/zero', 'zero.md'],
    ['/proc/self/environ', 'process.md'],
    ['one', 'two'],
    ['two', 'one'],
  ]
  for (const [target, name] of links) await symlink(target, join(workspace, name))
  await link(join(root, 'hard.md'), join(workspace, 'hard.md'))
  execFileSync('mkfifo', [join(workspace, 'pipe.md')])
  const main = await test.app.agents.get('main')
  await main.memory.settle(10_000)
  await main.history.flush()
  return { ...test, root, main }
}

function hostilePaths(root: string, home: string): string[] {
  const up = '../'.repeat(12)
  const long = 'x'.repeat(300)
  return [
    ['', '.', '..', '/', '~', '~/x.md', '~root/x.md', '-rf.md', '--help', '\0', 'a\0.md', 'a\nb.md', 'a\rb/c.md'],
    ['/etc/passwd', '../outside.md', `${up}etc/passwd`, `memory/${up}etc/passwd`, join(root, 'outside.md')],
    [join(root, 'theirs/MEMORY.md'), join(home, 'secret.md'), 'C:\\x.md', 'c:x.md', '\\\\server\\share\\x.md'],
    [
      '..\\outside.md',
      'file:///etc/passwd',
      '%2e%2e/outside.md',
      '．．/outside.md',
      '@work/MEMORY.md',
      '@work/../x.md',
    ],
    ['link/MEMORY.md', 'link/new.md', 'link.md', 'memory/nested/MEMORY.md', 'memory/nested/new.md', 'state/secret.md'],
    [
      'everything/etc/passwd',
      'dangling.md',
      'dangling/new.md',
      'zero.md',
      'process.md',
      'pipe.md',
      'one/x.md',
      'hard.md',
    ],
    [
      '.git/config',
      '.git/hooks/post-checkout',
      '.git/hooks/readme.md',
      '.git\\config',
      './.git/config',
      'a/../.git/x.md',
    ],
    ['.GIT/config', '.git./config', '.git /x.md', '.g\u200cit/config', '\u200c.git/x.md', '\ufeff.env', 'GIT~1/config'],
    ['git~1.md', '.git::$INDEX_ALLOCATION/x.md', 'memory/mine.md::$DATA', 'memory/mine.md:x.md', 'repository/config'],
    ['repository/hooks/x.md', '.env', 'environment.md', '.envrc', '.vscode/tasks.json', '.obsidian/plugins/x/main.js'],
    ['.obsidian/x.md', 'notes/.hidden.md', '.trash/1/x.md', '.trash/../outside.md', '.hidden.md', 'a/.b/c.md'],
    [
      'tool.sh',
      'new.sh',
      'run.bat',
      'run.cmd',
      'run.exe',
      'run.ps1',
      'run.desktop',
      'run.lnk',
      'run.url',
      'run.command',
    ],
    ['run.scpt', 'run.js', 'run.html', 'package.json', 'Makefile', 'CMakeLists.txt', 'requirements.txt', 'run.md'],
    ['script.md', 'x.md.', 'x.md ', 'x.sh.md\u202e', 'CON', 'con.md', 'AUX.txt', 'memory/COM1.md', 'com¹.md', 'nul'],
    ['a:b.md', 'a*b.md', 'a?.md', 'a|b.md', 'a"b.md', `${long}.md`, `${long}/x.md`, `${'d/'.repeat(100)}x.md`],
    [
      `${'d/'.repeat(2000)}x.md`,
      'memory',
      'memory/mine.md/x.md',
      'a\ud800.md',
      '\u202egpj.md',
      'café.md',
      'cafe\u0301.md',
    ],
    ['sessions/../../x.jsonl', 'sessions/...jsonl', 'tool-output/../x.txt', 'memory/.', 'memory//mine.md', '\u200b'],
  ].flat()
}

/** Every file below a folder with its content; links are not followed. */
async function snapshot(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink()) found.set(path, `-> ${await readlink(path)}`)
    else if (entry.isFile())
      found.set(
        path,
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      )
    else found.set(path, entry.isDirectory() ? 'folder' : 'other')
  }
  return found
}

/** Names of the request fields that contain a path. */
function pathFields(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const properties = 'properties' in schema && typeof schema.properties === 'object' ? schema.properties : {}
  const own = Object.entries(properties ?? {}).flatMap(([name, field]: [string, { type?: string }]) =>
    /path|file|folder|trashed|into|workspace/i.test(name) || (/^(from|to)$/.test(name) && field.type === 'string')
      ? [name]
      : [],
  )
  return [...own, ...Object.values(schema).flatMap(pathFields)]
}

function requestsWithPaths(): string[] {
  return Object.entries(contract).flatMap(([group, requests]) =>
    Object.entries(requests).flatMap(([name, request]) => {
      const { inputSchema } = request['~orpc']
      if (!(inputSchema instanceof z.ZodType)) return []
      const schema = z.toJSONSchema(inputSchema, { io: 'input', unrepresentable: 'any' })
      return pathFields(schema).length > 0 ? [`${group}.${name}`] : []
    }),
  )
}

/** Requests with a path in every path field. A missing request fails the test. */
function requests(source: string): Record<string, (path: string) => object[]> {
  const agent = 'main'
  const commit = '0'.repeat(40)
  return {
    'chats.markLines': (path) => [{ agent, lines: [{ path, line: 1, text: 'x' }] }],
    'workspace.accept': (path) => [{ agent, paths: [path] }],
    'workspace.lines': (path) => [{ agent, path, count: 10 }],
    'workspace.read': (path) => [{ agent, path }],
    'import.packNote': (path) => [{ agent, path }],
    'workspace.setVisibility': (path) => [{ agent, path, isPrivate: true }],
    'workspace.attach': (path) => [{ agent, path, name: 'x.png', data: 'eA==' }],
    'workspace.write': (path) => [{ agent, path, text: 'x\n', expectedHash: null }],
    'workspace.drafts': (path) => [{ agent, path }],
    'workspace.saveDraft': (path) => [{ agent, path, writer: 'w', draft: { text: 'x', baseText: '', baseHash: null } }],
    'workspace.duplicate': (path) => [{ agent, path }],
    'workspace.remove': (path) => [{ agent, path }],
    'workspace.reveal': (path) => [
      { agent, path, open: false },
      { agent, path, open: true },
    ],
    'find.replace': (path) => [{ agent, search: 'x', replacement: 'x', paths: [path] }],
    'history.timeline': (path) => [{ agent, path, limit: 10 }],
    'history.diff': (path) => [{ agent, change: 1, path }],
    'history.commits': (path) => [{ agent, path }],
    'history.commitDiff': (path) => [{ agent, path, commit }],
    'history.standing': (path) => [{ agent, change: 1, path }],
    'history.accept': (path) => [{ agent, change: 1, path, key: 'x' }],
    'history.revert': (path) => [{ agent, change: 1, path }],
    'history.textAt': (path) => [{ agent, path, at: Date.now(), includesPrivate: true }],
    'history.blame': (path) => [{ agent, path }],
    'history.restore': (path) => [{ agent, change: 1, path }],
    'import.plan': (path) => [{ agent, path: source, into: path }],
    'import.start': (path) => [{ agent, path: source, into: path }],
    'import.settings': (path) => [{ folder: path }],
    'import.takeOver': (path) => [{ file: path, keys: [path] }],
    'links.of': (path) => [{ agent, path }],
    'links.resolve': (path) => [{ agent, path, kind: 'inline', target: path.slice(0, 1000) }],
    'links.mend': (path) => [{ agent, path, line: 1, target: 'x', by: 'y' }],
    'links.names': (path) => [{ agent, path, typed: '' }],
    'links.planMove': (path) => [
      { agent, from: 'memory/mine.md', to: path },
      { agent, from: path, to: 'memory/mine.md' },
    ],
    'clients.remember': (path) => [{ agent, client: 'guest', text: 'x', replaces: { path, line: 1 } }],
    'links.move': (path) => [
      { agent, from: 'memory/mine.md', to: path },
      { agent, from: path, to: 'memory/mine.md' },
    ],
    'pictures.remote': (path) => [{ agent, path, address: 'https://127.0.0.1/x.png', isAllowed: true }],
    'search.explain': (path) => [{ agent, query: 'combination', why: { path, line: 1 } }],
    'search.nearNotes': (path) => [{ agent, path }],
    'tags.of': (path) => [{ agent, path }],
    'suggestions.flag': (path) => [{ agent, path, line: 1, fault: 'wrong' }],
    'workspace.attachment': (path) => [
      { agent, path },
      { agent, path, from: 3 },
    ],
    'savedSearches.add': (path) => [
      { agent, question: { query: 'q', relevant: [{ path, startLine: 1, endLine: 1 }] } },
    ],
  }
}

/**
 * Requests whose paths may be outside: workspace choice and preview, folders of an export or import; setting keys and
 * tags are no paths.
 */
const otherRequests = [
  'history.exportGit',
  'history.importGit',
  'workspace.setFolderVisibility',
  'agents.create',
  'agents.setUp',
  'conventions.look',
  'settings.set',
  'tags.planRename',
  'tags.rename',
]

const toolCalls: Record<string, (path: string) => Record<string, unknown>[]> = {
  read: (path) => [{ path }],
  memory_get: (path) => [{ path }],
  list: (path) => [{ path }],
  write: (path) => [
    { path, content: 'x\n' },
    { path, content: 'x\n', append: true },
  ],
  edit: (path) => [
    { path, oldText: 'combination', newText: 'x' },
    { path, oldText: '\n', newText: '\n\n' },
  ],
}

describe('isolation: hostile paths in every request and tool', () => {
  it('none leads outside or to hidden files, no executable is written, and every answer is clear', async () => {
    const { app, root, home, workspace, main } = await openFortress()
    const router = createRouter(app) as unknown as Record<string, Record<string, Parameters<typeof call>[0]>>
    const source = join(root, 'vault')
    await writeFiles(source, { 'imported.md': 'imported\n' })
    const shown: string[] = []
    Object.assign(app, { showFile: async (file: string) => void shown.push(file) })
    const asked = requests(source)
    await call(createRouter(app).clients.meet, { client: 'guest', name: 'Guest', agent: 'main' })
    expect([...Object.keys(asked), ...otherRequests].sort()).toEqual(requestsWithPaths().sort())
    const withPaths = builtInTools.filter(({ schema }) => pathFields(schema).length > 0)
    expect(Object.keys(toolCalls).sort()).toEqual(withPaths.map(({ name }) => name).sort())

    const before = await snapshot(root)
    const wrong: string[] = []
    let attempts = 0
    const attempt = async (what: string, work: () => Promise<unknown>) => {
      attempts += 1
      try {
        const result = await work()
        if (JSON.stringify(result ?? '').includes(secret)) wrong.push(`${what}: says the secret`)
      } catch (error) {
        const isClear =
          (error instanceof AppError || error instanceof ORPCError) &&
          (errorCodes as readonly string[]).includes(error.code) &&
          error.code !== 'internal'
        if (!isClear && !(error instanceof z.ZodError)) wrong.push(`${what}: ${String(error)}`)
        if (String(error).includes(secret)) wrong.push(`${what}: fails with the secret`)
      }
    }
    const context: ToolContext = {
      workspace: main.workspace,
      visible: main.visibleTo({ seesPrivate: false }),
      sources: [],
      userText: '',
      propose: () => Promise.resolve(),
      session: 'none',
      readOutput: (name) => Promise.reject(new AppError('file_not_found', name)),
      signal: new AbortController().signal,
      now: () => new Date(),
      askPermission: () => Promise.resolve(false),
      onProgress: () => undefined,
      onFault: () => 'none',
      limits: { timeoutMs: 10_000, outputCharacters: 50_000 },
      saveOutput: () => Promise.resolve('tool-output/x.txt'),
      origin,
      mayWrite: () => true,
    }
    const forget = async () => {
      const { checks } = await call(createRouter(app).savedSearches.list, { agent: 'main' })
      const id = checks.at(-1)?.id ?? ''
      await call(createRouter(app).savedSearches.remove, { agent: 'main', id })
    }
    const paths = hostilePaths(root, home)
    // All requests check paths with the same code, so each gets only a part of them.
    const share = rounds(5, 1)
    // Each of these starts a worker.
    const startThread = ['import.plan', 'import.start']
    const each = rounds(12, 6)
    for (const [index, path] of paths.entries()) {
      const label = JSON.stringify(path.slice(0, 60))
      for (const [at, [name, inputs]] of Object.entries(asked).entries()) {
        const isTaken = startThread.includes(name)
          ? index % each === [0, 3][startThread.indexOf(name)]
          : at % share === index % share
        if (!isTaken) continue
        const [group = '', request = ''] = name.split('.')
        const procedure = router[group]?.[request]
        if (!procedure) throw new Error(`there is no ${name}`)
        for (const input of inputs(path))
          await attempt(`${name} ${label}`, async () => {
            const result: unknown = await call(procedure, input as never)
            // Every change runs all saved queries, so this one is removed again.
            if (name === 'savedSearches.add') await forget()
            const isStream = typeof result === 'object' && result !== null && Symbol.asyncIterator in result
            return isStream ? Array.fromAsync(result as AsyncIterable<unknown>) : result
          })
      }
      for (const tool of withPaths)
        for (const input of toolCalls[tool.name]?.(path) ?? [])
          await attempt(`${tool.name} ${label}`, () => tool.run(input, context, 'call'))
    }
    await attempt('list', () => main.workspace.list())
    const search = { agent: 'main', text: 'combination', isPattern: false, matchCase: false }
    await attempt('find', async () =>
      Array.fromAsync((await call(router['find']?.['run'] as never, search as never)) as AsyncIterable<unknown>),
    )
    process.stdout.write(`isolation: ${paths.length} paths, ${attempts} attempts, ${wrong.length} wrong answers\n`)
    expect(paths.length).toBeGreaterThanOrEqual(100)
    expect(wrong).toEqual([])

    const after = await snapshot(root)
    const changed = [...after].filter(([path, is]) => before.get(path) !== is).map(([path]) => path)
    const gone = [...before.keys()].filter((path) => !after.has(path))
    const isOwn = (path: string) => path.startsWith(`${workspace}/`) && !path.startsWith(`${workspace}/memory/nested`)
    const isState = (path: string) => path === home || path.startsWith(`${home}/`)
    expect(changed.filter((path) => !isOwn(path) && !isState(path))).toEqual([])
    const made = changed.filter((path) => isOwn(path) && !path.startsWith(`${workspace}/.trash`))
    expect(
      made.filter((path) =>
        path
          .slice(workspace.length + 1)
          .split('/')
          .some(isHidden),
      ),
    ).toEqual([])
    const notes = made.filter((path) => after.get(path) !== 'folder')
    // Pictures may be added beside notes, where no file was.
    const isAdded = (path: string) => attachmentType(path) !== undefined && !before.has(path)
    expect(notes.filter((path) => !isNote(path) && !isAdded(path))).toEqual([])
    for (const path of notes) expect((await stat(path)).mode & 0o111).toBe(0)
    expect(gone.filter((path) => !isNote(path) || !isOwn(path))).toEqual([])
    for (const path of ['.git/config', '.env', 'run.md', 'tool.sh', 'package.json', 'memory/nested/MEMORY.md'])
      expect(after.get(join(workspace, path)), path).toBe(before.get(join(workspace, path)))
    expect(await readFile(join(root, 'hard.md'), 'utf8')).toBe('hard\n')
    expect(shown.filter((file) => !isOwn(file))).toEqual([])

    await main.history.flush()
    const recorded = new Set(main.history.timeline({ limit: 100_000 }).map(({ path }) => path))
    const unrecorded = notes
      .filter(isNote)
      .map((path) => path.slice(workspace.length + 1))
      .filter((path) => !recorded.has(path))
    expect(unrecorded).toEqual([])
  }, 240_000)

  it('a refusal gives its reason', async () => {
    const { main } = await openFortress()
    const refused: Record<string, string> = {
      '.git/config': 'path_hidden',
      '.obsidian/plugins/x/main.js': 'path_hidden',
      '.ENVRC': 'path_hidden',
      '.g\u200cit/config': 'path_hidden',
      '\u200c.git/x.md': 'path_hidden',
      'repository/new.md': 'path_hidden',
      'environment.md': 'path_hidden',
      'notes/.hidden.md': 'path_hidden',
      '.trash/1/x.md': 'path_hidden',
      'new.sh': 'write_refused',
      'script.md': 'write_refused',
      'run.md': 'write_refused',
      'CMakeLists.txt': 'write_refused',
      'package.json': 'write_refused',
      'con.md': 'path_invalid',
      'a\u0000.md': 'path_invalid',
      '-rf.md': 'path_invalid',
      '~note.md': 'path_invalid',
      'ab:c.md': 'path_invalid',
      'git~1.md': 'path_invalid',
      'folder./x.md': 'path_invalid',
      [`${'x'.repeat(300)}.md`]: 'path_invalid',
      [`${'d/'.repeat(100)}x.md`]: 'path_invalid',
      'dangling.md': 'path_outside_workspace',
      'link/new.md': 'path_outside_workspace',
      'memory/nested/new.md': 'path_outside_workspace',
    }
    for (const [path, code] of Object.entries(refused))
      await expect(main.workspace.write(path, 'x', origin), path).rejects.toMatchObject({ code })
    await expect(main.workspace.write('new.sh', 'x', origin)).rejects.toThrow(/\.md/)
    for (const path of ['notes/a.md', 'B.MARKDOWN', '日记/👨‍👩‍👧.md'])
      expect((await main.workspace.write(path, 'x', origin)).after, path).toBe('x')
  })

  it('reads and saves existing files with odd names', async () => {
    const { main, workspace } = await openFortress()
    await writeFiles(workspace, { 'memory/what? why: a "note".md': 'old\n', '-list.md': 'old\n' })
    for (const path of ['memory/what? why: a "note".md', '-list.md']) {
      expect((await main.workspace.list()).files.map((file) => file.path)).toContain(path)
      await main.workspace.write(path, 'new\n', { cause: 'user' })
      expect((await main.workspace.read(path)).text).toBe('new\n')
    }
  })

  it('a folder replaced by a link during writes lets nothing outside', async () => {
    const { main, root, workspace } = await openFortress()
    const target = join(root, 'theirs')
    await mkdir(join(workspace, 'swap'))
    const before = await snapshot(target)
    const stop = new AbortController()
    // The writer may recreate a folder at any time; a refused step is skipped.
    const attempt = async (step: Promise<unknown>) => await step.catch(() => undefined)
    const swap = async () => {
      while (!stop.signal.aborted) {
        await attempt(rm(join(workspace, 'aside'), { recursive: true, force: true }))
        await attempt(rename(join(workspace, 'swap'), join(workspace, 'aside')))
        await attempt(symlink(target, join(workspace, 'swap')))
        await attempt(rm(join(workspace, 'swap'), { recursive: true, force: true }))
        await attempt(rename(join(workspace, 'aside'), join(workspace, 'swap')))
        await attempt(mkdir(join(workspace, 'swap'), { recursive: true }))
      }
    }
    const swapping = swap()
    let written = 0
    // A busy machine may refuse the first 300 writes.
    for (let round = 0; round < 300 || (written === 0 && round < 10_000); round += 1) {
      try {
        await main.workspace.write(`swap/${round}.md`, 'x\n', origin)
        written += 1
        await main.workspace.remove(`swap/${round}.md`, origin)
      } catch (error) {
        expect(error).toBeInstanceOf(AppError)
      }
    }
    stop.abort()
    await swapping
    expect(written).toBeGreaterThan(0)
    expect(await snapshot(target)).toEqual(before)
  }, 60_000)
})

describe('ownership of folders', () => {
  it('a new agent inside the workspace of another is closed to that one at once', async () => {
    const { app, workspace } = await openTestApp({
      watch: true,
      files: { 'memory/mine.md': 'The gate is green.\n', 'memory/inner/old.md': 'The zebra is in the lift.\n' },
    })
    const main = await app.agents.get('main')
    await main.memory.settle(10_000)
    await main.history.flush()
    const zebras = async () => (await main.memory.search('zebra lift', { minScore: 0 })).results
    expect((await zebras()).map(({ path }) => path)).toContain('memory/inner/old.md')

    const inner = join(workspace, 'memory/inner')
    await app.agents.create({ name: 'inner', workspace: inner, locale: 'en' })
    expect((await zebras()).map(({ path }) => path)).not.toContain('memory/inner/old.md')
    await expect(main.workspace.read('memory/inner/old.md')).rejects.toMatchObject({ code: 'path_outside_workspace' })
    await expect(main.workspace.write('memory/inner/x.md', 'x', origin)).rejects.toMatchObject({
      code: 'path_outside_workspace',
    })
    expect((await main.workspace.list()).files.map(({ path }) => path).join()).not.toContain('inner')
    const other = await app.agents.get('inner')
    expect((await other.workspace.read('old.md')).text).toContain('zebra')
    await other.workspace.write('memory/own.md', 'The zebra has left.\n', origin)
    await writeFile(join(inner, 'memory/outside.md'), 'The zebra is back.\n')
    await until(async () => (await other.memory.search('zebra back', { minScore: 0 })).results.length > 0)
    await main.memory.settle(10_000)
    expect((await zebras()).map(({ path }) => path).join()).not.toContain('inner')
    await main.history.flush()
    const changes = main.history.timeline({ limit: 1000 })
    const ofInner = changes.filter(({ path }) => path.startsWith('memory/inner/'))
    // The file was known before and then belonged to the other agent; none of the other agent's files is recorded.
    expect(ofInner.map(({ path, exists }) => [path, !exists])).toEqual([
      ['memory/inner/old.md', true],
      ['memory/inner/old.md', false],
    ])
    expect(existsSync(join(inner, 'old.md'))).toBe(true)
  }, 60_000)
})
