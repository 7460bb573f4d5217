/** Private text stays private through any sequence of changes, chats and calls of other programs. */
import fc from 'fast-check'
import { it } from 'vitest'
import { PrivacyWorld } from '../../support/privacy-world.ts'
import { steps } from '../../support/privacy-steps.ts'
import { rounds } from '../../support/thorough.ts'

const sequences = Number(process.env['PRIVACY_SEQUENCES'] ?? rounds(12, 1500))
const seed = Number(process.env['PRIVACY_SEED'] ?? 31)

it(
  'no private text reaches an open chat, another program or another machine',
  async () => {
    const world = await PrivacyWorld.open()
    await fc.assert(
      fc.asyncProperty(steps, (sequence) => world.run(sequence)),
      { numRuns: sequences, seed },
    )
  },
  sequences * 6000 + 60_000,
)
