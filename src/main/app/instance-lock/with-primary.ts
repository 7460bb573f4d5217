import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ContractClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { AppBase, AppOptions } from '../composition/create-app.ts'
import { defaultStateHome, stateFolders } from '../agents/state-folders.ts'
import { launcherPath, renewLauncher } from '#interop'
import { callPrimary, lockPathsOf } from './primary-connection.ts'

export interface PrimaryClient {
  readonly client: ContractClient
  readonly base: Pick<AppBase, 'folders' | 'singleFolder'>
  /** True if this process is the primary instance. */
  readonly isOwnApp: boolean
}

/**
 * Runs a command on the primary instance, or becomes the primary instance until the command ends. Loads the code of the
 * app only if it is needed.
 * @param isRepeatable true if the command may run twice, because the answering process can end before its answer arrives
 * @throws AppError `owner_gone` if the primary instance ended and the command may not run twice, as `HostProcess.open`
 * and as `run`
 */
export async function withPrimary<T>(
  options: AppOptions,
  isRepeatable: boolean,
  run: (primary: PrimaryClient) => Promise<T>,
): Promise<T> {
  const goneError = new AppError('owner_gone', 'the process that had this memory open ended before it answered', {})
  const folders = stateFolders(resolve(options.home ?? defaultStateHome(options.env)))
  if (options.workspace === undefined && existsSync(folders.home)) {
    const base = { folders, singleFolder: undefined }
    const answer = await callPrimary(lockPathsOf(folders.home, undefined), (client) =>
      run({ client, base, isOwnApp: false }),
    )
    // The app that answered may be elsewhere.
    if (answer && folders.home === defaultStateHome({}))
      await renewLauncher(launcherPath(folders.home, process.platform), options.mainFolder).catch(() => undefined)
    if (answer && 'value' in answer) return answer.value
    if (answer && !isRepeatable) throw goneError
  }
  const { HostProcess } = await import('./host-process.ts')
  const hostProcess = await HostProcess.open({ ...options, watch: false }, 'command')
  try {
    return await hostProcess.callPrimary(async (client, isRepeated) => {
      if (isRepeated && !isRepeatable) throw goneError
      return run({ client, base: hostProcess.base, isOwnApp: (await hostProcess.app()) !== undefined })
    })
  } finally {
    await hostProcess.close()
  }
}
