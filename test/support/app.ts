/** Runs the real app on temporary folders. */
import { onTestFinished } from 'vitest'
import { createApp, type App } from '../../src/main/app/composition/create-app.ts'
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

export interface TestApp {
  readonly app: App
  readonly home: string
  readonly workspace: string
}

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

export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const folders = await prepareFolders(options)
  const { env = {}, now, watch = false, isOpenAddress, toolLimits } = options
  const app = await createApp({
    mainFolder,
    env,
    home: folders.home,
    watch,
    isOpenAddress,
    toolLimits,
    ...(now ? { now } : {}),
  })
  onTestFinished(() => app.close())
  return { app, ...folders }
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
