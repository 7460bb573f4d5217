import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { folderWith, temporaryFolder } from '../support/folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const networkModules = String.raw`(?:node:)?(?:dgram|dns(?:/promises)?|https?|http2|net|tls)|undici|ws|electron-updater`

/** Everything in the source that can open a connection, or start a program that can. Imports of types cannot. */
const patterns: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['$1', new RegExp(String.raw`^(?:import|export) (?!type )(?:[^']*?from )?'(${networkModules})'`, 'gm')],
  ['$1', new RegExp(String.raw`(?<!typeof )import\('(${networkModules})'\)`, 'g')],
  ['$1', new RegExp(String.raw`(?:require|getBuiltinModule)\('(${networkModules}|(?:node:)?child_process)'\)`, 'g')],
  ['child_process', /^(?:import|export) (?!type )(?:[^']*?from )?'(?:node:)?child_process'/gm],
  ['electron.net', /\bnet\.(?:fetch|request)\b/g],
  ['openExternal', /\bopenExternal\(/g],
  ['SDK', /\bnew (?:Anthropic|OpenAI|StreamableHTTPClientTransport|SSEClientTransport|StdioClientTransport)\(/g],
]

/** What each file may use, with the reason why nothing leaves past the gate. */
const allowed: Record<string, { readonly ways: readonly string[]; readonly reason: string }> = {
  'platform/net/outbound.ts': { ways: ['fetch'], reason: 'the gate' },
  'platform/net/bounded-fetch.ts': {
    ways: ['globalThis', 'undici'],
    reason: 'a type; undici is only the second parameter of the gate',
  },
  'platform/net/remote-picture.ts': { ways: ['node:dns', 'node:net'], reason: 'resolves names before the gate' },
  'app/shell.ts': { ways: ['child_process'], reason: 'opens the browser or file manager for the user' },
  'platform/workers/serve-worker.ts': { ways: ['globalThis'], reason: 'replaces FormData' },
  'llm/providers/anthropic/anthropic.ts': { ways: ['SDK', 'SDK'], reason: 'uses the fetch of its options' },
  'llm/providers/openai/openai.ts': { ways: ['SDK'], reason: 'uses the fetch of its options' },
  'llm/providers/openai/openai-client.ts': { ways: ['SDK'], reason: 'uses the fetch of its options' },
  'agent/mcp-client/mcp-servers.ts': {
    ways: ['SDK', 'SDK'],
    reason: 'HTTP uses the fetch of the gate; a program cannot, so each call is recorded first',
  },
  'workspace/git/run-git.ts': { ways: ['child_process'], reason: 'Git may use no protocol (GIT_ALLOW_PROTOCOL)' },
  'app/electron/message-ports.ts': { ways: ['electron.net'], reason: 'reads files of the interface' },
  'app/electron/updates.ts': {
    ways: ['child_process', 'electron-updater'],
    reason: 'takes no fetch: each check and download is recorded first; starts an AppImage again',
  },
  'app/electron/window-security.ts': { ways: ['openExternal'], reason: 'opens the browser for the user' },
  'app/instance-lock/primary-connection.ts': {
    ways: ['node:net', 'ws'],
    reason: 'connects to the socket file of the other process',
  },
  'app/instance-lock/relay.ts': {
    ways: ['child_process', 'node:net'],
    reason: 'connects to that socket file, and starts a process that listens on it',
  },
  'interop/client-setup/launcher.ts': { ways: ['child_process'], reason: 'sets PATH on Windows' },
  'app/instance-lock/primary-instance.ts': { ways: ['node:http', 'ws'], reason: 'listens on a socket file' },
  'app/server/http-server.ts': { ways: ['node:http', 'ws'], reason: 'listens on a loopback address' },
  'app/server/mcp-endpoint.ts': { ways: ['node:http'], reason: 'listens on a loopback address' },
  'app/electron/login-shell.ts': { ways: ['child_process'], reason: 'asks the login shell for its variables' },
  'index.ts': { ways: ['child_process'], reason: 'opens the app itself' },
  'launch.mjs': {
    ways: ['child_process', 'fetch'],
    reason: 'starts the app; in a checkout without Electron, asks whether its download server answers',
  },
}

function waysIn(text: string): string[] {
  const code = text.replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
  return patterns.flatMap(([name, pattern]) =>
    [...code.matchAll(pattern)].map(([, found = '']) => name.replace('$1', found)),
  )
}

/** Returns the uses of Node's network globals, by file relative to `folder`. The linter knows the scope of each name. */
async function globalsIn(folder: string): Promise<[file: string, name: string][]> {
  const names = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'globalThis', 'global']
  const rules = { 'no-restricted-globals': ['error', ...names] }
  const config = join(await temporaryFolder(), 'oxlint.json')
  await writeFile(config, JSON.stringify({ plugins: [], categories: { correctness: 'off' }, rules }))
  const linter = join(root, 'node_modules/oxlint/bin/oxlint')
  // Its exit code is 1 if it finds something.
  const { stdout } = await promisify(execFile)(process.execPath, [linter, '-c', config, '-f', 'json', '.'], {
    cwd: folder,
  }).catch((error: unknown) => error as { stdout: string })
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; message: string }[] }
  return diagnostics.map(({ filename, message }) => [
    filename.replaceAll('\\', '/'),
    /'(\w+)'/.exec(message)?.[1] ?? message,
  ])
}

describe('ways out of the app', () => {
  it('are the gate and the listed exceptions', async () => {
    const source = join(root, 'src/main')
    const files = (await readdir(source, { recursive: true })).filter((file) => /\.(?:ts|mjs)$/.test(file))
    const ways = await Promise.all(
      files.map(async (file) =>
        waysIn(await readFile(join(source, file), 'utf8')).map((way) => [file.replaceAll('\\', '/'), way] as const),
      ),
    )
    const found = Map.groupBy([...ways.flat(), ...(await globalsIn(source))], ([file]) => file)
    expect(Object.fromEntries([...found].map(([file, list]) => [file, list.map(([, way]) => way).sort()]))).toEqual(
      Object.fromEntries(Object.entries(allowed).map(([file, exception]) => [file, exception.ways])),
    )
  })

  it.each([
    ["import { connect } from 'node:net'", 'node:net'],
    ["import {\n  request,\n} from 'https'", 'https'],
    ["const { fetch: get } = await import('undici')", 'undici'],
    ["process.getBuiltinModule('node:tls')", 'node:tls'],
    ["import { execFile } from 'child_process'", 'child_process'],
    ['new OpenAI({ apiKey })', 'SDK'],
  ])('are found: %s', (code, way) => {
    expect(waysIn(code)).toEqual([way])
  })

  it.each([
    ["await fetch('https://example.org')", 'fetch'],
    ['const send = (get = fetch) => get', 'fetch'],
    ["globalThis['fetch'](1)", 'globalThis'],
    ['new WebSocket(1)', 'WebSocket'],
  ])('are found: %s', async (code, name) => {
    expect(await globalsIn(await folderWith({ 'a/b.ts': code }))).toEqual([['a/b.ts', name]])
  })

  it('are not types, comments or local names', async () => {
    const code = "import type { Server } from 'node:http'\n// fetch(1)\nlet u: typeof import('undici')\n"
    expect(waysIn(code)).toEqual([])
    const local = 'export const send = (fetch: (to: string) => void) => fetch("/")\n'
    expect(await globalsIn(await folderWith({ 'a.ts': code + local }))).toEqual([])
  })
})
