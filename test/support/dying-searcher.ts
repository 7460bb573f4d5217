/** The searching thread, which ends the hard way once the file that `DIES_AT` names is there. */
import { existsSync, rmSync } from 'node:fs'
import '../../src/main/search/ranking/searcher.worker.ts'

const sign = process.env['DIES_AT']
setInterval(() => {
  if (sign === undefined || !existsSync(sign)) return
  rmSync(sign)
  process.exit(3)
}, 20)
