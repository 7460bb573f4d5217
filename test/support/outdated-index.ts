import { openForWriting } from '../../src/main/search/indexing/index-schema.ts'

/** Makes an index look as a version with another chunk size left it, so that the app rebuilds it. */
export function outdateIndex(file: string): void {
  const db = openForWriting(file)
  db.prepare(`UPDATE meta SET value = json_set(value, '$.chunk', json('[300,60]')) WHERE key = 'fingerprint'`).run()
  db.close()
}
