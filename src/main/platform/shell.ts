import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { AppError } from '#shared/util/errors.ts'

/** Shows an absolute path in the file manager; `open` opens it instead. @throws AppError `no_file_manager` */
export type RevealFile = (path: string, open: boolean) => Promise<void>

export const showInFileManager: RevealFile = async (path, open) => {
  try {
    await start(fileCommand(path, open))
  } catch (error) {
    throw new AppError('no_file_manager', `no program on this system can open ${path}`, { path }, { cause: error })
  }
}

/** Opens a URL in the default browser. Does nothing if there is no display; the caller has printed the URL. */
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
