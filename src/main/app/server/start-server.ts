import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { AppError } from '#shared/util/errors.ts'
import { resourcesOf, type AppOptions } from '../composition/create-app.ts'
import { startHttpServer, type RunningHost } from './http-server.ts'
import { readIfExists, writeDurably, type SettingsStore } from '#platform'
import { handleUncaughtErrors } from '../diagnostics/uncaught.ts'
import { lazyMcpEndpoint } from './mcp-endpoint.ts'
import { HostProcess } from '../instance-lock/host-process.ts'

export interface ServerOptions extends Omit<AppOptions, 'watch' | 'base'> {
  /** 0 selects a free port; undefined tries the port of the last start first. */
  readonly port?: number | undefined
}

export interface RunningServer extends RunningHost {
  readonly settings: SettingsStore
}

/** Starts the browser host. @throws AppError `port_in_use`, `write_failed`, `owner_silent`, `owner_version` */
export async function startServer({ port, ...options }: ServerOptions): Promise<RunningServer> {
  const hostProcess = await HostProcess.open(options)
  const { log, folders, settings } = hostProcess.base
  const stopErrorHandler = handleUncaughtErrors({
    log,
    onFault: (fault) => hostProcess.publish({ type: 'fault', ...fault }),
  })
  try {
    const mcp = lazyMcpEndpoint(hostProcess)
    const serveAt = (chosenPort: number) =>
      startHttpServer({
        accept: (socket) => hostProcess.accept(socket),
        mcp,
        folder: fileURLToPath(new URL('../out/renderer/', pathToFileURL(resourcesOf(options.mainFolder)))),
        log,
        port: chosenPort,
      })
    const host = port === undefined ? await serveAtLastPort(folders.home, serveAt) : await serveAt(port)
    return {
      ...host,
      settings,
      async close() {
        await mcp.close()
        await host.close()
        await hostProcess.close()
        stopErrorHandler()
      },
    }
  } catch (error) {
    await hostProcess.close()
    stopErrorHandler()
    throw error
  }
}

/** Reuses the port of the last start: browsers store page data per origin, port included. */
async function serveAtLastPort(home: string, serveAt: (port: number) => Promise<RunningHost>): Promise<RunningHost> {
  const file = join(home, 'browser-port')
  const storedPort = Number((await readIfExists(file).catch(() => undefined)) ?? 0)
  const lastPort = Number.isInteger(storedPort) && storedPort > 1023 && storedPort < 65_536 ? storedPort : 0
  const host = await serveAt(lastPort).catch((error: unknown) => {
    if (lastPort !== 0 && error instanceof AppError && error.code === 'port_in_use') return serveAt(0)
    throw error
  })
  const { port } = new URL(host.url)
  if (port !== String(lastPort)) await writeDurably(file, `${port}\n`).catch(() => undefined)
  return host
}
