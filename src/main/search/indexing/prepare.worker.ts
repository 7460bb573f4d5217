import { serveWorker } from '#platform'
import { prepareUnits, unitSettingsOf, type PlainUnitSettings, type UnitSettings } from '../units/prepare-units.ts'
import type { FileContent } from './indexed-file.ts'

export interface PreparationTask {
  readonly file: FileContent
  readonly known: ReadonlySet<string>
}

function createJobs() {
  let unitSettings: UnitSettings = { folders: [] }

  return {
    open(settings: PlainUnitSettings) {
      unitSettings = unitSettingsOf(settings)
    },
    prepare: (tasks: readonly PreparationTask[]) =>
      tasks.map(({ file, known }) => prepareUnits(file, unitSettings, known)),
  }
}

export type PreparationJobs = ReturnType<typeof createJobs>

serveWorker(createJobs)
