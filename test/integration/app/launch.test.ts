/** The launcher of a checkout and the processes that it started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { prepareFolders } from '../../support/app.ts'
import { folderWith, until } from '../../support/folder.ts'

const launcher = fileURLToPath(new URL('../../../src/main/launch.mjs', import.meta.url))

async function launch() {
  const { home } = await prepareFolders({})
  const child = spawn(process.execPath, [launcher, 'serve', '--no-open', '--home', home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGTERM'))
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  while (!output.includes('\n')) await once(child.stdout, 'data')
  const { url } = JSON.parse(output) as { url: string }
  const answers = () =>
    fetch(new URL(url).origin).then(
      () => true,
      () => false,
    )
  return { child, answers }
}

describe('the launcher', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('the server ends with its launcher (%s)', async (signal) => {
    const { child, answers } = await launch()
    expect(await answers()).toBe(true)
    child.kill(signal)
    await once(child, 'exit')
    await until(async () => !(await answers()))
  })

  /** Starts the desktop app with a shell script as the runtime of Electron. */
  async function startDesktop(script: string, ...args: string[]) {
    const { home } = await prepareFolders({})
    const runtime = await folderWith({ electron: `#!/bin/sh\n${script}\n`, 'chrome-sandbox': '' })
    await chmod(join(runtime, 'electron'), 0o755)
    const env = { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: runtime, ELECTRON_RUN_AS_NODE: '1', DISPLAY: ':9' }
    const child = spawn(process.execPath, [launcher, 'start', '--no-open', '--home', home, ...args], { env })
    onTestFinished(() => void child.kill('SIGTERM'))
    return child
  }

  it.skipIf(process.platform !== 'linux')('starts the runtime as an app, and passes its exit code on', async () => {
    const child = await startDesktop('echo "as node: $ELECTRON_RUN_AS_NODE"; exit 7', '--no-sandbox')
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
    expect([output, child.exitCode]).toEqual(['as node: \n', 7])
  })

  it.skipIf(process.platform !== 'linux').each([
    ['crashes at its start', 'kill -ABRT $$', ['--no-sandbox'], 'SIGABRT ended the runtime at its start'],
    ['can have no sandbox', '', [], /does not run as root|sudo chown root:root '[^']+' && sudo chmod 4755/],
  ])('opens the browser interface if the runtime %s', async (_, script, args, reason) => {
    const child = await startDesktop(script, ...args)
    let problem = ''
    child.stderr.on('data', (chunk: Buffer) => (problem += chunk.toString()))
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
    expect(JSON.parse(chunk.toString())).toHaveProperty('url')
    expect(problem).toMatch(reason)
  })

  it('says why it cannot reload the desktop app during development', async () => {
    const env = { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '', ELECTRON_OVERRIDE_DIST_PATH: '/nowhere' }
    const child = spawn(process.execPath, [launcher, 'dev'], { env })
    const [problem] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect(problem).toMatch(/cannot open the desktop window \(.+\); "npm start" opens a browser/)
    expect(child.exitCode).toBe(1)
  })
})
