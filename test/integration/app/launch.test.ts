/** The launcher of a checkout and the processes that it started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { prepareFolders } from '../../support/app.ts'
import { until } from '../../support/folder.ts'

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
})
