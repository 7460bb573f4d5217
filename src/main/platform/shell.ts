import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { AppError } from '#shared/util/errors.ts'

/** @throws AppError `no_file_manager` */
export type ShowFile = (path: string, open: boolean) => Promise<void>

export const showWithSystem: ShowFile = async (path, open) => {
  try {
    await start(fileCommand(path, open))
  } catch (error) {
    throw new AppError('no_file_manager', `nothing on this system shows ${path}`, { path }, { cause: error })
  }
}

/** Opens an address in the user's own browser; where there is none, the address was printed and that has to do. */
export function openInBrowser(url: string): void {
  const command = pageCommand(url)
  if (command) start(command).catch(() => undefined)
}

type CommandLine = readonly [command: string, ...args: string[]]

async function start([command, ...args]: CommandLine): Promise<void> {
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  await once(child, 'spawn')
  child.unref()
}

function fileCommand(path: string, open: boolean): CommandLine {
  if (process.platform === 'darwin') return open ? ['open', path] : ['open', '-R', path]
  if (process.platform === 'win32') return open ? ['explorer', path] : ['explorer', `/select,${path}`]
  return ['xdg-open', open ? path : dirname(path)]
}

function pageCommand(url: string): CommandLine | undefined {
  if (process.platform === 'darwin') return ['open', url]
  if (process.platform === 'win32') return ['cmd', '/c', 'start', '', url.replaceAll('&', '^&')]
  return process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'] ? ['xdg-open', url] : undefined
}
