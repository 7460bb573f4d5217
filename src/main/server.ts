/** The browser host: the same interface as the desktop app's, for a browser on this machine. */
import { createApp, type AppOptions } from './app.ts'
import { serve, type ServeOptions } from './host/index.ts'

export interface RunningServer {
  /** Holds the token; whoever has it has the memory. */
  readonly url: string
  close(): Promise<void>
}

export async function startServer(options: ServeOptions & Omit<AppOptions, 'watch'>): Promise<RunningServer> {
  const { port, interfaceFolder, ...appOptions } = options
  const app = await createApp(appOptions)
  try {
    const host = await serve(app, {
      ...(port === undefined ? {} : { port }),
      ...(interfaceFolder ? { interfaceFolder } : {}),
    })
    return {
      url: host.url,
      async close() {
        await host.close()
        await app.close()
      },
    }
  } catch (error) {
    await app.close()
    throw error
  }
}
