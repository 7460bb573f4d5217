import Database from 'better-sqlite3'
import { Versions } from '../../src/main/workspace/changes/versions.ts'

/** Returns all texts, paths and details of a change log, decoded, as one text. @throws if a text cannot be decoded */
export function logContent(file: string): string {
  const db = new Database(file, { readonly: true })
  try {
    const versions = new Versions(db)
    const ids = db.prepare<[], number>('SELECT id FROM versions').pluck().all()
    const texts = ids.map((id) => versions.text(id))
    if (texts.includes(undefined)) throw new Error(`${file} has a version without a text`)
    const rows = ['change_sets', 'file_changes'].map((table) => db.prepare(`SELECT * FROM ${table}`).all())
    return [...texts, JSON.stringify(rows)].join('\n')
  } finally {
    db.close()
  }
}
