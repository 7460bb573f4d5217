import { describe, expect, it } from 'vitest'
import { ProviderHealth, type ProviderOutcome } from '../../../../src/main/search/embeddings/provider-health.ts'

const failed: ProviderOutcome = { kind: 'failed', code: 'provider_unavailable', message: 'nobody there' }

function openHealth(random = 0) {
  let now = 1_000_000
  const health = new ProviderHealth(
    () => new Date(now),
    undefined,
    () => now,
    () => random,
  )
  return {
    health,
    /** Advances the clock by the pause. @returns the pause in ms */
    rest() {
      const pause = health.retryInMs ?? 0
      now += pause
      return pause
    },
    pass: (ms: number) => (now += ms),
  }
}

describe('back-off', () => {
  it('fails after two failures in a row, with the time of the first and the message of the last', () => {
    const { health, pass } = openHealth()
    health.record(failed)
    expect(health.failure).toBeUndefined()
    expect(health.queryPermit().waitMs).toBe(3000)
    pass(50)
    health.record({ ...failed, message: 'still nobody' })
    expect(health.failure).toEqual({ code: 'provider_unavailable', message: 'still nobody', since: 1_000_000 })
    expect(health.queryPermit().waitMs).toBeUndefined()
  })

  it('the pause grows from 1 s to 5 min, and only a real answer resets it', () => {
    const { health, rest } = openHealth()
    health.record(failed)
    const pauses: number[] = []
    for (let time = 0; time < 11; time += 1) {
      health.record(failed)
      pauses.push(rest())
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1000))
    health.record({ kind: 'probed' })
    expect(health.failure).toBeUndefined()
    health.record(failed)
    expect(health.failure).toBeDefined()
    expect(rest()).toBe(300_000)
    health.record({ kind: 'answered', ms: 5 })
    health.record(failed)
    health.record(failed)
    expect(rest()).toBe(1000)
  })

  it('respects the requested wait, up to an hour', () => {
    const { health, rest } = openHealth()
    const limited: ProviderOutcome = {
      kind: 'failed',
      code: 'provider_rate_limited',
      message: '',
      retryAfterMs: 20_000,
    }
    health.record(limited)
    expect(rest()).toBe(20_000)
    health.record({ ...limited, retryAfterMs: 86_400_000 })
    expect(rest()).toBe(3_600_000)
  })

  it('waits less for a slow provider, and normally again once it is fast', () => {
    const { health } = openHealth()
    const waits = [0, 1, 2, 3, 4].map(() => {
      const { waitMs } = health.queryPermit()
      health.record({ kind: 'late' })
      health.record({ kind: 'answered', ms: 9000 })
      return waitMs
    })
    expect(waits).toEqual([3000, 1000, 300, 0, 0])
    health.record({ kind: 'answered', ms: 400 })
    expect(health.queryPermit().waitMs).toBe(3000)
  })
})
