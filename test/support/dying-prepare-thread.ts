/** A worker that prepares files and throws at the second message. */
import { parentPort, workerData } from 'node:worker_threads'
import type { PreparationTask } from '../../src/main/search/indexing/sync.ts'
import { prepareUnits, unitSettingsOf, type PlainUnitSettings } from '../../src/main/search/units/prepare-units.ts'

const settings = unitSettingsOf(workerData as PlainUnitSettings)
let messages = 0

parentPort?.on('message', (tasks: readonly PreparationTask[]) => {
  messages += 1
  if (messages > 1) throw new Error('died')
  parentPort?.postMessage(tasks.map(({ file, known }) => prepareUnits(file, settings, known)))
})
