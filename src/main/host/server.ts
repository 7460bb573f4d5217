/** The browser host: the same interface as the desktop app's, for a browser on this machine. */
import { fileURLToPath, pathToFileURL } from 'node:url'
import { resourcesOf, type AppOptions } from '../app.ts'
import { serve, type Host } from './index.ts'
import { McpDoor } from './mcp.ts'
import { Resident } from '../owner/index.ts'
import { followUncaught } from '../uncaught.ts'

export interface ServerOptions extends Omit<AppOptions, 'watch' | 'base'> {
  /** 0, as when left out, for any free one. */
  readonly port?: number
}

/** Its URL holds the token; whoever has it has the memory. */
export interface RunningServer extends Host {
  /** The process that owns the memory: this one, or one that it speaks for. */
  owner(): Promise<number>
}

/** @throws AppError `port_in_use`, `write_failed`, `owner_silent`, `owner_version` */
export async function startServer({ port = 0, ...options }: ServerOptions): Promise<RunningServer> {
  const resident = await Resident.open(options)
  const { log } = resident.base
  const stopFollowing = followUncaught({ log, tell: (fault) => resident.tell({ type: 'fault', ...fault }) })
  try {
    const mcp = new McpDoor(resident)
    const host = await serve({
      accept: (socket) => resident.accept(socket),
      mcp,
      folder: fileURLToPath(new URL('../out/renderer/', pathToFileURL(resourcesOf(options.mainFolder)))),
      log,
      port,
    })
    return {
      url: host.url,
      urlOnce: () => host.urlOnce(),
      owner: () => resident.owner(),
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
