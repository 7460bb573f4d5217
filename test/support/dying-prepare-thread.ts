/** A worker that prepares files and throws at the second message. */
import { parentPort, workerData } from 'node:worker_threads'
import { FilePreparer, type FileContent, type PrepareSettings } from '../../src/main/search/indexing/prepare-file.ts'

const preparer = new FilePreparer(workerData as PrepareSettings)
let messages = 0

parentPort?.on('message', (files: readonly FileContent[]) => {
  messages += 1
  if (messages > 1) throw new Error('died')
  parentPort?.postMessage(files.map((file) => preparer.prepare(file)))
})
