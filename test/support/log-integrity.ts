import Database from 'better-sqlite3'
import { join } from 'node:path'
import { changeLogFile } from '../../src/main/app/agents/state-folders.ts'

/** Checks the file of the change log with SQLite's `integrity_check`. */
export function isLogSound(home: string, workspace: string): boolean {
  const database = new Database(changeLogFile(join(home, 'history/main'), workspace), { readonly: true })
  try {
    return database.pragma('integrity_check', { simple: true }) === 'ok'
  } finally {
    database.close()
  }
}
