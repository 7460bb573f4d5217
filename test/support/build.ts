/** Builds the app before tests that use its workers, commands and interface. Skipped if nothing has changed. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

export default function setUp(project: TestProject): void {
  build()
  project.onTestsRerun(build)
}

export function build(): void {
  const launcher = fileURLToPath(new URL('../../src/main/launch.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [launcher, '--version'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed: ${stderr}`)
}
