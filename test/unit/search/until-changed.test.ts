import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { memoizeUntilWrite } from '../../../src/main/search/units/unit-store.ts'

describe('untilChanged', () => {
  it('reads again after every write, even if it was rolled back, and not otherwise', () => {
    const db = new Database(':memory:')
    db.exec('CREATE TABLE notes (name TEXT)')
    const add = db.prepare('INSERT INTO notes VALUES (?)')
    const count = db.prepare<[], number>('SELECT count(*) FROM notes').pluck()
    let asked = 0
    const counted = memoizeUntilWrite(db, () => {
      asked += 1
      return count.get() ?? 0
    })
    expect([counted(), counted(), asked]).toEqual([0, 0, 1])
    add.run('a')
    expect([counted(), counted(), asked]).toEqual([1, 1, 2])
    const broken = db.transaction(() => {
      add.run('b')
      expect(counted()).toBe(2)
      throw new Error('rolled back')
    })
    expect(broken).toThrow('rolled back')
    expect(counted()).toBe(1)
    db.exec('DELETE FROM notes')
    expect(counted()).toBe(0)
  })
})
