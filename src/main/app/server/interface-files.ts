import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

export interface InterfaceFile {
  readonly bytes: Buffer
  readonly type: string
  readonly etag: string
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

export class InterfaceFiles {
  readonly #folder: string
  /** Paths as in an address, such as `/assets/index.js`; read when they are first asked for. */
  readonly #files = new Map<string, Promise<InterfaceFile> | undefined>()

  /** @param folder of the built interface; its list of files is read now */
  constructor(folder: string) {
    this.#folder = folder
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = relative(folder, join(entry.parentPath, entry.name))
      this.#files.set(`/${path.split(sep).join('/')}`, undefined)
    }
  }

  /**
   * What an address shows: a file of the interface, or else the one page, whose views have addresses of their own (also
   * some that end like a file, such as `/file/MEMORY.md`).
   * @param path of the address, not decoded: our files have plain names
   * @throws the system's error where a file can no longer be read
   */
  async find(path: string): Promise<InterfaceFile | undefined> {
    const name = this.#files.has(path) || path.startsWith('/assets/') ? path : '/index.html'
    if (!this.#files.has(name)) return undefined
    const known = this.#files.get(name)
    if (known) return known
    const read = this.#read(name)
    this.#files.set(name, read)
    // What failed once may work again.
    read.catch(() => this.#files.set(name, undefined))
    return read
  }

  async #read(name: string): Promise<InterfaceFile> {
    const bytes = await readFile(join(this.#folder, name))
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
    return { bytes, type: types[extname(name)] ?? 'application/octet-stream', etag }
  }
}
