/** The npm packages that are shipped as packages. All others are bundled into `out`, or are only for development. */
import { readFileSync } from 'node:fs'

/** Not bundled: these packages contain native code, start files, use `require`, or belong to Electron. */
export const keptPackages: readonly string[] = ['better-sqlite3', 'sqlite-vec', 'fflate', 'electron-updater']

interface LockedPackage {
  readonly version: string
  /** Hash of the archive in the registry: `sha512-` and base64. */
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Readonly<Record<string, LockedPackage>>
}

/** Needed to compile better-sqlite3. The package contains it compiled. */
const onlyForCompiling = 'node-addon-api'

/** Returns the folders of the kept packages and of all packages they need, relative to `node_modules`. */
export function shippedPackages(): string[] {
  const found = new Set<string>()
  const add = (name: string, from: string): void => {
    const folder = findPackage(name, from)
    if (folder === undefined || found.has(folder) || name === onlyForCompiling) return
    found.add(folder)
    for (const needed of Object.keys(packages[folder]?.dependencies ?? {})) add(needed, folder)
  }
  for (const name of keptPackages) add(name, '')
  return [...found].map((folder) => folder.slice('node_modules/'.length)).sort()
}

/** Looks for a package where Node looks: in the folder of the package that needs it, then in each folder above. */
function findPackage(name: string, from: string): string | undefined {
  const folder = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (folder in packages) return folder
  return from === '' ? undefined : findPackage(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
}

/** @throws Error if package-lock.json does not name the package */
export function lockedPackage(name: string): LockedPackage {
  const entry = packages[`node_modules/${name}`]
  if (!entry) throw new Error(`package-lock.json does not name ${name}`)
  return entry
}
