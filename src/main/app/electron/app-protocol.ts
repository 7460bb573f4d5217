import { net, protocol } from 'electron'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { securityHeaders } from '../server/security-headers.ts'
import { isInside } from '#workspace'

const scheme = 'app'
const host = 'commonplace'
/** During development, the address of Vite's server. */
export const interfaceUrl = process.env['ELECTRON_RENDERER_URL'] ?? `${scheme}://${host}/`

/** Must run before the app is ready. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
}

export function serveInterface(folder: URL): void {
  protocol.handle(scheme, async (request) => {
    const url = new URL(request.url)
    if (url.host !== host || request.method !== 'GET') return new Response('not found', { status: 404 })
    const response = await net.fetch(fileFor(folder, url.pathname).href)
    const headers = new Headers(response.headers)
    for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value)
    return new Response(response.body, { status: response.status, headers })
  })
}

/** Returns the asset at a URL path; index.html for other paths. @param folder ends with `/` */
export function fileFor(folder: URL, pathname: string): URL {
  const index = new URL('index.html', folder)
  const file = new URL(`.${pathname}`, folder)
  const isAsset = pathname !== '/' && isInside(fileURLToPath(folder), fileURLToPath(file)) && existsSync(file)
  return isAsset ? file : index
}
