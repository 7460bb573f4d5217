import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'

const german = {
  system: 'Du bist {{agent}}. Antworte kurz.',
  flush: 'Sichere jetzt, was bleiben soll.',
}
/** Prompts that contain the wording of other requests, without placeholders. */
const crossed = {
  system: 'Memory flush. Today is Monday, 1999-12-31.',
  flush: 'Name the topic of this conversation, please.',
}
type Prompts = Partial<typeof german>

const cases: readonly [what: string, prompts: Prompts][] = [['prompts that read like others', crossed]]

describe('recognition of requests by the offline model', () => {
  it.each(cases)(
    'saves notes to today’s log and recognizes flush, summary and topic requests with %s',
    async (_, own) => {
      const { flush, ...prompts } = own
      const settings = { prompts, ...(flush === undefined ? {} : { compaction: { memoryFlush: { prompt: flush } } }) }
      const { app, workspace } = await openTestApp({
        config: `agents: { defaults: ${JSON.stringify(settings)}, list: [{ id: main, workspace: "{{workspace}}" }] }\n`,
        now: () => new Date(2026, 0, 20, 10, 30),
      })
      const agent = await app.agents.get('main')
      let session: string | undefined
      const say = async (text: string) => {
        const sent = await agent.chat.send({ text, session })
        await sent.ended
        session = sent.session
        return sent.session
      }
      await say('Remember that the boiler is serviced in March')
      await say('We decided to use feature flags for the launch, see src/flags.ts')
      // Longer than the part that a compaction keeps verbatim.
      await say('the '.repeat(14_000))
      const first = await say('/compact')
      const log = await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8')
      expect(log).toContain('\n- 10:30 the boiler is serviced in March\n')
      expect(log).toContain('\n- 10:30 We decided to use feature flags for the launch, see src/flags.ts\n')
      const compaction = (await agent.sessions.get(first)).branch().find(({ type }) => type === 'compaction')
      expect(compaction).toMatchObject({ summary: expect.stringContaining('## Facts and identifiers\n- ') })
      expect(compaction).toMatchObject({ summary: expect.stringContaining('feature flags') })
      await say('/new')
      await app.close()
      const names = await readdir(join(workspace, 'memory'))
      expect(names.sort()).toEqual(['2026-01-20-decided-feature-flags-launch.md', '2026-01-20.md'])
    },
  )
})
