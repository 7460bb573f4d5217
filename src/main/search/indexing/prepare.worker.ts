import { parentPort, workerData } from 'node:worker_threads'
import { FilePreparer, type FileContent, type PreparedFile, type PrepareSettings } from './prepare-file.ts'

const preparer = new FilePreparer(workerData as PrepareSettings)

parentPort?.on('message', (files: readonly FileContent[]) => {
  const prepared = files.map((file) => preparer.prepare(file))
  parentPort?.postMessage(prepared, buffersOf(prepared))
})

function buffersOf(files: readonly PreparedFile[]): ArrayBuffer[] {
  const buffers = files.flatMap(({ chunks }) =>
    chunks.flatMap(({ terms, digests }) => [terms.buffer, digests?.numbers.buffer, digests?.ends.buffer]),
  )
  return buffers.filter((buffer) => buffer instanceof ArrayBuffer)
}
