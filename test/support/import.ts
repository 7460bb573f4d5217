import { setTimeout } from 'node:timers/promises'
import type { Importer } from '../../src/main/interop/import/importer.ts'
import { AppError } from '../../src/shared/util/errors.ts'

/**
 * Runs an import to its end.
 * @param onProgress called with the number of created files, each time it has grown
 * @throws AppError the failure of the import
 */
export async function runImport(
  importer: Importer,
  task: Parameters<Importer['start']>[0],
  onProgress: (done: number) => unknown = () => undefined,
) {
  const end = importer.start(task)
  let last = 0
  for (let { running } = importer.status(); running; { running } = importer.status()) {
    if (running.done > last) await onProgress(running.done)
    last = running.done
    await setTimeout(1)
  }
  const { id, failure, ...result } = await end
  importer.markSeen(id)
  if (failure) throw new AppError(failure.code, '', failure.data)
  return result
}
