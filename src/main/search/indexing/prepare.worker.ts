import { parentPort, workerData } from 'node:worker_threads'
import { prepareUnits, unitSettingsOf, type PlainUnitSettings, type PreparedFile } from '../units/prepare-units.ts'
import type { PreparationTask } from './sync.ts'

const settings = unitSettingsOf(workerData as PlainUnitSettings)

parentPort?.on('message', (tasks: readonly PreparationTask[]) => {
  const prepared = tasks.map(({ file, known }) => prepareUnits(file, settings, known))
  parentPort?.postMessage(prepared, buffersOf(prepared))
})

function buffersOf(files: readonly PreparedFile[]): ArrayBuffer[] {
  const buffers = files.flatMap(({ vectors }) => (vectors ? [vectors.lengths.buffer, vectors.codes.buffer] : []))
  return buffers.filter((buffer) => buffer instanceof ArrayBuffer)
}
