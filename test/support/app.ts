/** Runs the real app on temporary folders. */
import { createRouterClient } from '@orpc/server'
import { onTestFinished } from 'vitest'
import { createRouter } from '../../src/main/app/api/router.ts'
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { HostProcess } from '../../src/main/app/instance-lock/host-process.ts'
import { startServer, type RunningServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder } from './built.ts'
import { temporaryFolder, writeFiles } from './folder.ts'
import { join } from 'node:path'

export { mainFolder }

export interface TestAppOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Text of config.yaml; `{{workspace}}` is replaced by the folder. */
  readonly config?: string
  readonly env?: NodeJS.ProcessEnv
  readonly now?: () => Date
  /** Watches files, records the history and runs schedules. Default: false (faster). */
  readonly watch?: boolean
  readonly clientPatienceMs?: number
  readonly isOpenAddress?: (address: string) => boolean
  readonly toolLimits?: Parameters<typeof createApp>[0]['toolLimits']
}

export type TestApp = Awaited<ReturnType<typeof openTestApp>>

const plainAgent = 'agents:\n  list:\n    - { id: main, workspace: "{{workspace}}" }\n'
/** Keyword search only. */
export const plainConfig = `${plainAgent}  defaults: { memory: { embedding: { provider: none } } }\n`
/** No model or folder chosen, as at the first start. */
export const untouchedConfig = plainAgent

export async function prepareFolders(options: TestAppOptions): Promise<{ home: string; workspace: string }> {
  const root = await temporaryFolder()
  const home = join(root, 'state')
  const workspace = join(root, 'workspace')
  await writeFiles(workspace, { 'MEMORY.md': '# Long-term memory\n', ...options.files })
  await writeFiles(home, { 'config.yaml': (options.config ?? plainConfig).replaceAll('{{workspace}}', workspace) })
  return { home, workspace }
}

/**
 * Opens the app on a state folder that exists, and closes it after the test.
 * @returns also `client` for calls of the interface
 */
export async function openAppOn(
  home: string,
  options: Partial<Omit<Parameters<typeof createApp>[0], 'mainFolder' | 'home'>> = {},
) {
  const app = await createApp({ mainFolder, env: {}, home, ...options })
  onTestFinished(() => app.close())
  return { app, client: createRouterClient(createRouter(app)) }
}

export async function openTestApp(given: TestAppOptions = {}) {
  const folders = await prepareFolders(given)
  const { env = {}, now, watch = false, isOpenAddress, toolLimits } = given
  const options = { env, watch, isOpenAddress, toolLimits, ...(now ? { now } : {}) }
  return { ...(await openAppOn(folders.home, options)), ...folders }
}

export async function openTestResident(options: TestAppOptions = {}): Promise<HostProcess> {
  const { home } = await prepareFolders(options)
  const resident = await HostProcess.open({ mainFolder, env: options.env ?? {}, home })
  onTestFinished(() => resident.close())
  return resident
}

export async function openTestServer(
  options: TestAppOptions = {},
): Promise<RunningServer & { home: string; workspace: string }> {
  const folders = await prepareFolders(options)
  const { env = {}, now, clientPatienceMs: permissionTimeoutMs, isOpenAddress } = options
  const server = await startServer({
    mainFolder,
    env,
    home: folders.home,
    isOpenAddress,
    ...(now ? { now } : {}),
    ...(permissionTimeoutMs === undefined ? {} : { permissionTimeoutMs }),
  })
  onTestFinished(() => server.close())
  return { ...server, ...folders }
}
