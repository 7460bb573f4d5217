/** The search worker, which exits abruptly once the file named by `DIES_AT` exists. */
import { existsSync, rmSync } from 'node:fs'
import '../../src/main/search/ranking/searcher.worker.ts'

const sign = process.env['DIES_AT']
setInterval(() => {
  if (sign === undefined || !existsSync(sign)) return
  rmSync(sign)
  process.exit(3)
}, 20)
