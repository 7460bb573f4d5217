import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { untilChanged } from '../../../src/main/search/indexing/memoize-by-data-version.ts'

describe('what is counted', () => {
  it('is counted anew after every write, also one that is taken back, and not otherwise', () => {
    const db = new Database(':memory:')
    db.exec('CREATE TABLE notes (name TEXT)')
    const add = db.prepare('INSERT INTO notes VALUES (?)')
    const count = db.prepare<[], number>('SELECT count(*) FROM notes').pluck()
    let asked = 0
    const counted = untilChanged(db, () => {
      asked += 1
      return count.get() ?? 0
    })
    expect([counted(), counted(), asked]).toEqual([0, 0, 1])
    add.run('a')
    expect([counted(), counted(), asked]).toEqual([1, 1, 2])
    const broken = db.transaction(() => {
      add.run('b')
      expect(counted()).toBe(2)
      throw new Error('taken back')
    })
    expect(broken).toThrow('taken back')
    expect(counted()).toBe(1)
    db.exec('DELETE FROM notes')
    expect(counted()).toBe(0)
  })
})
