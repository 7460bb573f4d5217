/**
 * The command `commonplace` of this user: a script in the home of the app. Every start of the app writes into it where
 * the app is now, so that programs and shells need not know.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, constants, mkdir, readlink, stat, symlink } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import { readIfExists, writeDurably } from '#platform'
import type { Machine, StartCommand } from './known-clients.ts'

/** Returns the path of a packaged app. AppImages and portable programs run in a folder that is gone after they end. */
export function installedProgram(): string {
  const { APPIMAGE, PORTABLE_EXECUTABLE_FILE } = process.env
  return APPIMAGE || PORTABLE_EXECUTABLE_FILE || process.execPath
}

/** Returns how this app starts, before its own arguments. @throws AppError `app_portable` */
export function startOf(mainFolder: URL): StartCommand {
  const folder = fileURLToPath(mainFolder)
  const builtFile = join(folder, 'cli/index.js')
  const entryFile = existsSync(builtFile) ? builtFile : join(folder, 'app/cli/entry.ts')
  // A packaged app runs the command directly and cannot start as plain Node.
  const isPackaged = folder.includes('.asar')
  if (isPackaged && process.env['PORTABLE_EXECUTABLE_FILE'])
    throw new AppError('app_portable', 'the portable app cannot answer other programs; install the app', {})
  // Programs can start it without a display.
  const headless = process.platform === 'linux' ? ['--ozone-platform=headless'] : []
  return {
    command: isPackaged ? installedProgram() : process.execPath,
    args: isPackaged ? headless : [entryFile],
    env: process.versions['electron'] === undefined || isPackaged ? {} : { ELECTRON_RUN_AS_NODE: '1' },
  }
}

/** @param home of the app @returns absolute path */
export function launcherPath(home: string, platform: NodeJS.Platform): string {
  return join(home, 'bin', platform === 'win32' ? 'commonplace.cmd' : 'commonplace')
}

/** Returns the command that starts the launcher. Windows runs scripts only through its shell. */
export function startOfLauncher(launcher: string, platform: NodeJS.Platform): StartCommand {
  return platform === 'win32'
    ? { command: 'cmd', args: ['/d', '/c', launcher], env: {} }
    : { command: launcher, args: [], env: {} }
}

/** The settings of launch.mjs. */
const memoryLimits = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '65536' }

const installedMark = '(installed app)'
const targetLine = /^(?:#|rem) Starts (.+)$/m

/**
 * Writes the launcher if it starts another app. A checkout does not replace the launcher of an installed app.
 * @throws AppError `app_portable`, `write_failed`, `disk_full`
 */
export async function renewLauncher(launcher: string, mainFolder: URL, platform = process.platform): Promise<void> {
  const start = startOf(mainFolder)
  const isInstalled = fileURLToPath(mainFolder).includes('.asar')
  const current = (await readIfExists(launcher)) ?? ''
  const currentTarget = targetLine.exec(current)?.[1]
  const isOfInstalledApp = current.includes(installedMark) && currentTarget !== undefined && existsSync(currentTarget)
  if (isOfInstalledApp && !isInstalled) return
  const text = scriptOf(start, isInstalled, platform)
  if (text !== current) await writeDurably(launcher, text, { newMode: 0o755 })
}

/** @param start its last argument, or the program without one, is the file that must exist */
function scriptOf({ command, args, env }: StartCommand, isInstalled: boolean, platform: NodeJS.Platform): string {
  const target = isInstalled ? command : (args.at(-1) ?? command)
  const about = `Commonplace ${isInstalled ? installedMark : '(checkout)'}. Every start of the app renews this file.`
  const missing = 'commonplace: the app is not where it was; start it once, and this command works again.'
  const variables = Object.entries({ ...memoryLimits, ...env })
  const words = [command, ...(isInstalled ? [] : ['--max-semi-space-size=4']), ...args]
  if (platform === 'win32') {
    const quoted = words.map((word) => `"${word.replaceAll('%', '%%')}"`)
    const lines = [
      '@echo off',
      `rem ${about}`,
      `rem Starts ${target}`,
      `if not exist "${target.replaceAll('%', '%%')}" (echo ${missing} 1>&2 & exit /b 127)`,
      ...variables.map(([name, value]) => `set "${name}=${value}"`),
      `${quoted.join(' ')} %*`,
    ]
    return lines.map((line) => `${line}\r\n`).join('')
  }
  const quote = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`
  return `#!/bin/sh
# ${about}
# Starts ${target}
[ -e ${quote(target)} ] || { echo '${missing}' >&2; exit 127; }
export ${variables.map(([name, value]) => `${name}=${value}`).join(' ')}
exec ${words.map(quote).join(' ')} "$@"
`
}

export interface CommandInstall {
  /** Path of the link that `installCommand` makes, on Windows of a folder for PATH; null if shells find the command. */
  readonly creates: string | null
  /** True if shells find the command only after the user has added the folder of the link to PATH. */
  readonly needsPath: boolean
}

/** @throws AppError `file_exists` if another program has the place of the link */
export async function planCommand(launcher: string, { platform, home, env }: Machine): Promise<CommandInstall> {
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter)
  if (platform === 'win32') {
    const isThere = folders.includes(dirname(launcher))
    return { creates: isThere ? null : dirname(launcher), needsPath: false }
  }
  const local = join(home, '.local/bin')
  const candidates = [local, '/usr/local/bin']
  for (const folder of folders) {
    const isOwn = (await readlink(join(folder, 'commonplace')).catch(() => undefined)) === launcher
    if (isOwn || folder === dirname(launcher)) return { creates: null, needsPath: false }
  }
  for (const folder of candidates.filter((one) => folders.includes(one))) {
    const isWritable = await access(folder, constants.W_OK).then(
      () => true,
      (error: unknown) => folder === local && onSystemError(true, 'ENOENT')(error),
    )
    if (isWritable) return { creates: await freeLink(join(folder, 'commonplace'), launcher), needsPath: false }
  }
  return { creates: await freeLink(join(local, 'commonplace'), launcher), needsPath: true }
}

/** @throws AppError `file_exists` */
async function freeLink(link: string, launcher: string): Promise<string | null> {
  const target = await readlink(link).catch(() => undefined)
  if (target === launcher) return null
  const isTaken = await stat(link).catch(onSystemError(undefined, 'ENOENT'))
  if (isTaken || target !== undefined) throw new AppError('file_exists', `${link} is another program`, { path: link })
  return link
}

/** Creates what `planCommand` lists. @throws Error of the system */
export async function installCommand(creates: string, launcher: string, platform: NodeJS.Platform): Promise<void> {
  if (platform === 'win32') {
    const folder = `'${creates.replaceAll("'", "''")}'`
    const userPath = `[Environment]::GetEnvironmentVariable('Path', 'User')`
    const script = `[Environment]::SetEnvironmentVariable('Path', ((${userPath}, ${folder}) -ne $null -join ';'), 'User')`
    await promisify(execFile)('powershell', ['-NoProfile', '-Command', script])
    return
  }
  await mkdir(dirname(creates), { recursive: true })
  await symlink(launcher, creates)
}
