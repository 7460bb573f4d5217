/** A worker that prepares files and dies at the second request. */
import { serveWorker } from '../../src/main/platform/workers/serve-worker.ts'
import type { PreparationTask } from '../../src/main/search/indexing/prepare.worker.ts'
import { prepareUnits, unitSettingsOf, type PlainUnitSettings } from '../../src/main/search/units/prepare-units.ts'

serveWorker(() => {
  let settings: PlainUnitSettings | undefined
  let requests = 0
  return {
    open(given: PlainUnitSettings) {
      settings = given
    },
    prepare(tasks: readonly PreparationTask[]) {
      requests += 1
      if (requests > 1 || !settings) process.exit(1)
      const unitSettings = unitSettingsOf(settings)
      return tasks.map(({ file, known }) => prepareUnits(file, unitSettings, known))
    },
  }
})
