/**
 * The native packages of each target. npm installs only those of the machine that builds, so the others come from npm's
 * registry, checked against package-lock.json. All are copied to `out/native`, where builder.config.ts takes them.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lockedPackage } from './shipped-packages.ts'
import type { System } from './stub-runtime.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const windows = process.platform === 'win32'

export type Processor = 'x64' | 'arm64'

/** Returns the name of the package with sqlite-vec's library for a target. */
export function vectorPackage(system: System, processor: Processor): string {
  return `sqlite-vec-${system === 'win32' ? 'windows' : system}-${processor}`
}

/** @throws Error if the package is neither installed nor in npm's registry, or is not the one in package-lock.json */
export function provideNativePackage(system: System, processor: Processor): void {
  const name = vectorPackage(system, processor)
  const folder = join(root, 'out/native', name)
  const { version } = lockedPackage(name)
  if (versionIn(folder) === version) return
  rmSync(folder, { recursive: true, force: true })
  const installed = join(root, 'node_modules', name)
  if (versionIn(installed) === version) cpSync(installed, folder, { recursive: true, dereference: true })
  else download(name, folder)
}

function versionIn(folder: string): string | undefined {
  const file = join(folder, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : undefined
}

function download(name: string, folder: string): void {
  const { version, integrity } = lockedPackage(name)
  const temporary = mkdtempSync(join(tmpdir(), 'commonplace-native-'))
  try {
    const { status, stderr } = spawnSync('npm', ['pack', `${name}@${version}`, '--pack-destination', temporary], {
      encoding: 'utf8',
      shell: windows,
    })
    if (status !== 0) throw new Error(`${name} ${version} cannot be downloaded from npm's registry: ${stderr.trim()}`)
    const archive = join(temporary, readdirSync(temporary)[0] ?? '')
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
    if (found !== integrity)
      throw new Error(`${name} ${version} from npm's registry is not the one in package-lock.json`)
    mkdirSync(folder, { recursive: true })
    const unpacked = spawnSync('tar', ['-xzf', archive, '--strip-components=1', '-C', folder], { encoding: 'utf8' })
    if (unpacked.status !== 0) throw new Error(`${name} cannot be unpacked: ${unpacked.stderr}`)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}
