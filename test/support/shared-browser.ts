/** Starts one Chromium for all e2e files: faster than one per file. Each file opens its own contexts. */
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { chromiumFlags, findChromium } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly browserEndpoint: string
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ executablePath: findChromium(), args: [...chromiumFlags] })
  project.provide('browserEndpoint', server.wsEndpoint())
  return () => server.close()
}
