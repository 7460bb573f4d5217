import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { AppError } from '#shared/util/errors.ts'
import { resourcesOf, type AppOptions } from '../composition/create-app.ts'
import { startHttpServer, type RunningHost } from './http-server.ts'
import { readIfExists, writeDurably, handleUncaughtErrors } from '#platform'
import { LazyMcpEndpoint } from './mcp-endpoint.ts'
import { HostProcess } from '../instance-lock/host-process.ts'

export interface ServerOptions extends Omit<AppOptions, 'watch' | 'base'> {
  /** 0 selects a free port; undefined tries the port of the last start first. */
  readonly port?: number
}

export interface RunningServer extends RunningHost {
  /** Returns the id of the process that holds the instance lock. */
  owner(): Promise<number>
}

/** Starts the browser host. @throws AppError `port_in_use`, `write_failed`, `owner_silent`, `owner_version` */
export async function startServer({ port, ...options }: ServerOptions): Promise<RunningServer> {
  const resident = await HostProcess.open(options)
  const { log } = resident.base
  const stopFollowing = handleUncaughtErrors({ log, onFault: (fault) => resident.publish({ type: 'fault', ...fault }) })
  try {
    const mcp = new LazyMcpEndpoint(resident)
    const serveAt = (at: number) =>
      startHttpServer({
        accept: (socket) => resident.accept(socket),
        mcp,
        folder: fileURLToPath(new URL('../out/renderer/', pathToFileURL(resourcesOf(options.mainFolder)))),
        log,
        port: at,
      })
    const host = port === undefined ? await serveAsBefore(resident.base.folders.home, serveAt) : await serveAt(port)
    return {
      url: host.url,
      urlOnce: () => host.urlOnce(),
      owner: () => resident.primaryPid(),
      async close() {
        await mcp.close()
        await host.close()
        await resident.close()
        stopFollowing()
      },
    }
  } catch (error) {
    await resident.close()
    stopFollowing()
    throw error
  }
}

/** Reuses the port of the last start: browsers store page data per origin, port included. */
async function serveAsBefore(home: string, serveAt: (port: number) => Promise<RunningHost>): Promise<RunningHost> {
  const file = join(home, 'browser-port')
  const kept = Number((await readIfExists(file).catch(() => undefined)) ?? 0)
  const before = Number.isInteger(kept) && kept > 1023 && kept < 65_536 ? kept : 0
  const host = await serveAt(before).catch((error: unknown) => {
    if (before !== 0 && error instanceof AppError && error.code === 'port_in_use') return serveAt(0)
    throw error
  })
  const { port } = new URL(host.url)
  // Without the file the next start just uses another port.
  if (port !== String(before)) await writeDurably(file, `${port}\n`).catch(() => undefined)
  return host
}
