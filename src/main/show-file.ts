/** Hands a file to the system: to its file manager, or to the program that it has for such files. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { AppError } from '../shared/errors.ts'

/** @throws AppError `no_file_manager` */
export type ShowFile = (path: string, open: boolean) => Promise<void>

export const showWithSystem: ShowFile = async (path, open) => {
  const [command = '', ...args] = commandFor(path, open)
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  try {
    await once(child, 'spawn')
  } catch (error) {
    throw new AppError('no_file_manager', `nothing on this system shows ${path}`, { path }, { cause: error })
  }
  child.unref()
}

function commandFor(path: string, open: boolean): string[] {
  if (process.platform === 'darwin') return open ? ['open', path] : ['open', '-R', path]
  if (process.platform === 'win32') return open ? ['explorer', path] : ['explorer', `/select,${path}`]
  return ['xdg-open', open ? path : dirname(path)]
}
