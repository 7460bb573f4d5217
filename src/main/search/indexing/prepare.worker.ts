import { serveWorker } from '#platform'
import { prepareUnits, unitSettingsOf, type PlainUnitSettings, type UnitSettings } from '../units/prepare-units.ts'
import type { FileContent } from './indexed-file.ts'

export interface PreparationTask {
  readonly file: FileContent
  readonly known: ReadonlySet<string>
}

let unitSettings: UnitSettings = { folders: [] }

const jobs = {
  open(settings: PlainUnitSettings) {
    unitSettings = unitSettingsOf(settings)
  },
  prepare: (tasks: readonly PreparationTask[]) =>
    tasks.map(({ file, known }) => prepareUnits(file, unitSettings, known)),
}

export type PreparationJobs = typeof jobs

serveWorker(jobs)
