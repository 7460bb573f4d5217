/** Entry of the browser host: the same interface as the desktop app's, for a browser on this machine. */
import { createApp } from './app.ts'
import { serve, type ServeOptions } from './host/index.ts'

export interface RunningServer {
  /** Holds the token; whoever has it has the memory. */
  readonly url: string
  close(): Promise<void>
}

export async function startServer(
  options: ServeOptions & { readonly home?: string | undefined; readonly workspace?: string | undefined; readonly env?: NodeJS.ProcessEnv; readonly now?: () => Date },
): Promise<RunningServer> {
  const { home, workspace, env = process.env, now, ...serveOptions } = options
  const app = await createApp({ mainFolder: new URL('./', import.meta.url), env, home, workspace, ...(now ? { now } : {}) })
  try {
    const host = await serve(app, serveOptions)
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
