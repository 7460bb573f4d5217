import { describe, expect, it } from 'vitest'
import { Scheduler } from '../../../src/main/curation/suggestions/scheduler.ts'
import { temporaryFolder } from '../../support/folder.ts'

async function makeScheduler() {
  const folder = await temporaryFolder()
  const world = { now: new Date('2026-11-22T12:00:00'), schedule: 'daily 13:00', idleMs: 600_000, load: 0.1, runs: 0 }
  const open = () =>
    new Scheduler({
      folder,
      now: () => world.now,
      schedule: () => world.schedule,
      idleFor: () => world.idleMs,
      load: () => world.load,
      run: async () => {
        world.runs += 1
      },
      onFault: (error) => {
        throw error
      },
    })
  return { world, open }
}

describe('scheduler', () => {
  it('runs a due task once while the user is idle, and catches up after a pause', async () => {
    const { world, open } = await makeScheduler()
    const scheduler = open()
    expect(await scheduler.runIfDue(), 'does not catch up on times before the schedule was set').toBe(false)
    expect(await scheduler.next()).toBe(new Date('2026-11-22T13:00:00').getTime())
    world.now = new Date('2026-11-22T13:00:30')
    world.idleMs = 1000
    expect(await scheduler.runIfDue(), 'the user is active').toBe(false)
    world.idleMs = 600_000
    world.load = 3
    expect(await scheduler.runIfDue(), 'the machine is busy').toBe(false)
    world.load = 0.1
    scheduler.savePower(true)
    expect(await scheduler.runIfDue(), 'on battery').toBe(false)
    scheduler.savePower(false)
    expect(await scheduler.runIfDue()).toBe(true)
    expect(await scheduler.runIfDue()).toBe(false)
    expect(world.runs).toBe(1)
    world.now = new Date('2026-11-26T09:00:00')
    const later = open()
    expect(await later.runIfDue(), 'four days later').toBe(true)
    expect(await later.runIfDue()).toBe(false)
    expect(world.runs).toBe(2)
  })

  it('off disables it, and a new schedule starts when it is set', async () => {
    const { world, open } = await makeScheduler()
    const scheduler = open()
    await scheduler.runIfDue()
    world.now = new Date('2026-11-23T14:00:00')
    world.schedule = 'off'
    expect(await scheduler.runIfDue()).toBe(false)
    expect(await scheduler.next()).toBeNull()
    world.schedule = 'daily 13:30'
    expect(await scheduler.runIfDue()).toBe(false)
    expect(await scheduler.next()).toBe(new Date('2026-11-24T13:30:00').getTime())
    expect(world.runs).toBe(0)
  })
})
