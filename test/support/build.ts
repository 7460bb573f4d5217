/** The browser tests run on the built interface; building is skipped when nothing has changed. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export default function build(): void {
  const launcher = fileURLToPath(new URL('../../src/main/launch.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [launcher, '--version'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed: ${stderr}`)
}
