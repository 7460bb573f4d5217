/** The browser host: the same interface as the desktop app's, for a browser on this machine. */
import { RPCHandler } from '@orpc/server/websocket'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createApp, type AppOptions } from './app.ts'
import { answerRequests, serve, type Host } from './host/index.ts'
import { createRouter } from './router.ts'
import { followUncaught } from './uncaught.ts'

export interface ServerOptions extends Omit<AppOptions, 'watch'> {
  /** 0, as when left out, for any free one. */
  readonly port?: number
}

/** Its URL holds the token; whoever has it has the memory. */
export type RunningServer = Host

export async function startServer({ port = 0, ...options }: ServerOptions): Promise<RunningServer> {
  const app = await createApp(options)
  const stopFollowing = followUncaught({
    log: app.log,
    tell: (fault) => app.events.publish('event', { type: 'fault', ...fault }),
  })
  try {
    const host = await serve({
      accept: answerRequests(new RPCHandler(createRouter(app)), app.log),
      folder: fileURLToPath(new URL('../out/renderer/', pathToFileURL(app.resources))),
      log: app.log,
      port,
    })
    return {
      url: host.url,
      async close() {
        await host.close()
        await app.close()
        stopFollowing()
      },
    }
  } catch (error) {
    await app.close()
    stopFollowing()
    throw error
  }
}
