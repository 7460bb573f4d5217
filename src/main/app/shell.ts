import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { AppError } from '#shared/util/errors.ts'

/** @param path absolute @throws AppError `no_file_manager` */
export type RevealFile = (path: string, shouldOpen: boolean) => Promise<void>

export const showInFileManager: RevealFile = async (path, shouldOpen) => {
  try {
    await startDetached(fileManagerCommand(path, shouldOpen))
  } catch (error) {
    throw new AppError('no_file_manager', `no program on this system can open ${path}`, { path }, { cause: error })
  }
}

/** Does nothing if there is no display; the caller also prints the URL. */
export function openInBrowser(url: string): void {
  const command = browserCommand(url)
  if (command) startDetached(command).catch(() => undefined)
}

type CommandLine = readonly [command: string, ...args: string[]]

async function startDetached([command, ...args]: CommandLine): Promise<void> {
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  await once(child, 'spawn')
  child.unref()
}

function fileManagerCommand(path: string, shouldOpen: boolean): CommandLine {
  if (process.platform === 'darwin') return shouldOpen ? ['open', path] : ['open', '-R', path]
  if (process.platform === 'win32') return shouldOpen ? ['explorer', path] : ['explorer', `/select,${path}`]
  return ['xdg-open', shouldOpen ? path : dirname(path)]
}

function browserCommand(url: string): CommandLine | undefined {
  if (process.platform === 'darwin') return ['open', url]
  if (process.platform === 'win32') return ['cmd', '/c', 'start', '', url.replaceAll('&', '^&')]
  return process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'] ? ['xdg-open', url] : undefined
}
