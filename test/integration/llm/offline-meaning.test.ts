import { describe, expect, it } from 'vitest'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { openTestApp, untouchedConfig } from '../../support/app.ts'

/** Opens the app with the offline model and the built-in embeddings, and returns a helper to send messages. */
async function openChat(files: Readonly<Record<string, string>> = {}) {
  const { app, workspace } = await openTestApp({
    files,
    config: untouchedConfig,
    now: () => new Date(2026, 0, 20, 10, 30),
  })
  const { chat, memory, sessions } = await app.agents.get('main')
  const settle = async () => {
    await memory.settle(20_000)
    await memory.waitForVectors()
  }
  const say = async (text: string, session?: string) => {
    const sent = await chat.send({ text, session })
    await sent.ended
    const last = (await sessions.get(sent.session)).messages().at(-1)
    return { session: sent.session, answer: last ? messageText(last.message) : '' }
  }
  await settle()
  return { app, memory, settle, say, workspace }
}

/** Unrelated notes. */
const other = {
  'MEMORY.md': `# Long-term memory

- Our daughter starts kindergarten in September.
- The boiler is serviced every October.
- Put aside three hundred each month for the trip to Japan.
- The dentist will pull the wisdom tooth in March.
- The blue bicycle needs a new chain.
- Grandmother bakes rye bread on Sundays.
- The library closes early on Fridays.
- Jonas borrowed the electric drill.
- Tomatoes grow best against the south wall.
- The piano tuner comes twice a year.
- Our passports expire in 2031.
- The printer jams when the paper is damp.
`,
}

const notes = [
  { note: 'We chose PostgreSQL for the database', line: 3, question: 'which datastore do we use' },
  { note: 'The rent of the flat is 1,450 euros', line: 4, question: 'how much does the apartment cost' },
  { note: 'Mara is allergic to penicillin', line: 5, question: 'what medicine must Mara avoid' },
  { note: 'The standup is at 9:30 on weekdays', line: 6, question: 'what time is the daily standup' },
]

describe('offline chat with semantic search', { timeout: 60_000 }, () => {
  it('answers each paraphrased question with the matching line of the log', async () => {
    const { settle, say } = await openChat(other)
    let session: string | undefined
    for (const { note } of notes) ({ session } = await say(`Remember that ${note}`, session))
    await settle()
    for (const { note, line, question } of notes) {
      const { answer } = await say(question, session)
      expect(
        answer.split('\n').find((text) => text.startsWith('>')),
        question,
      ).toBe(`> ${note}`)
      expect(answer).toContain(`[memory/2026-01-20.md:${line}]`)
    }
  })
})
