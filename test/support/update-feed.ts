/** A feed on loopback, and the real classes of electron-updater on the stand-in for Electron. */
import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import Module, { createRequire } from 'node:module'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AppUpdater } from 'electron-updater'
import { electron } from './electron/shell.ts'
import { writeFiles } from './folder.ts'
import { listen } from './listen.ts'

const require = createRequire(import.meta.url)

/** Makes `require('electron')` of the updater the stand-in. The real package throws without a runtime. */
const electronFile = require.resolve('electron')
const stub = new Module(electronFile)
Object.assign(stub, { exports: electron, loaded: true })
require.cache[electronFile] = stub

/** Returns an updater as `electron-updater` makes it at the start of the app. */
export function newUpdater(kind: 'AppImageUpdater' | 'NsisUpdater' | 'MacUpdater'): AppUpdater {
  const classes = require('electron-updater') as Record<typeof kind, new () => AppUpdater>
  return new classes[kind]()
}

/** Writes the file that electron-builder puts into each package, and sets the folder of resources and caches. */
export async function installPackage(folder: string): Promise<void> {
  await writeFiles(folder, { 'app-update.yml': 'provider: generic\nurl: unused\nupdaterCacheDirName: kept-updates\n' })
  const before = Object.getOwnPropertyDescriptor(process, 'resourcesPath')
  Object.defineProperty(process, 'resourcesPath', { value: folder, configurable: true })
  onTestFinished(() => {
    if (before) Object.defineProperty(process, 'resourcesPath', before)
    else Reflect.deleteProperty(process, 'resourcesPath')
  })
}

export const cacheIn = (folder: string, ...names: string[]): string => join(folder, 'kept-updates', ...names)

export interface Feed {
  readonly url: string
  /** Content by path; a function answers itself. */
  readonly files: Map<string, string | ((response: ServerResponse) => void)>
  /** Requested paths, without queries. */
  readonly requested: string[]
  /** Offers a version in a feed file; `digest` replaces the right one. */
  offer(feedFile: string, version: string, file: string, content: string, digest?: string): void
}

export async function openFeed(): Promise<Feed> {
  const [files, requested]: [Feed['files'], string[]] = [new Map(), []]
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1)
    requested.push(path)
    const file = files.get(path)
    if (typeof file === 'function') return file(response)
    response.writeHead(file === undefined ? 404 : 200).end(file)
  })
  const url = `${await listen(server)}/`
  const offer: Feed['offer'] = (feedFile, version, file, content, digest = sha512(content)) => {
    const notes = `Notes of ${version}: <img src="https://evil.example/x.png"> ![](https://evil.example/y.png)`
    const info = { version, files: [{ url: file, sha512: digest, size: content.length }], releaseNotes: notes }
    files.set(feedFile, JSON.stringify(info))
    files.set(file, content)
  }
  return { url, files, requested, offer }
}

const sha512 = (text: string) => createHash('sha512').update(text).digest('base64')
