import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textsIn } from '../../support/folder.ts'
import { openTestApp } from '../../support/app.ts'

const main = { agent: 'main' }
const now = () => new Date('2026-11-22T12:00:00')
const long = Array.from({ length: 400 }, (_, at) => `- the word of day ${at} is kept here`).join('\n')

async function openMarks(files: Record<string, string>, config?: string) {
  const test = await openTestApp({ files, now, watch: true, ...(config === undefined ? {} : { config }) })
  const agent = await test.app.agents.get('main')
  const read = (path: string) => readFile(join(test.workspace, path), 'utf8')
  const everything = () => textsIn(test.workspace, (path) => !path.includes('.trash'))
  /** Returns the part of a note that an open chat sees; undefined if it does not see the note. */
  const seen = async (path: string) => agent.marks().openText(path, await read(path))
  return { ...test, agent, read, everything, seen }
}

describe('suggestions keep privacy markers', () => {
  it('moves a long section of a local MEMORY.md to a local note, and undo restores every byte', async () => {
    const { client, everything, seen } = await openMarks(
      { 'MEMORY.md': `# Memory\n\n## Long\n\n${long}\n` },
      'agents:\n  defaults: { visibility: { local: [MEMORY.md] } }\n  list: [{ id: main, workspace: "{{workspace}}" }]\n',
    )
    const before = await everything()
    await client.suggestions.look(main)
    const [found] = (await client.suggestions.list(main)).open
    expect(found?.files.find(({ path }) => path === 'memory/Long.md')?.patch).toContain('+visibility: private')
    const { acceptance } = await client.suggestions.accept({ ...main, ids: [found?.id ?? ''] })
    expect(await seen('memory/Long.md')).toBeUndefined()
    await client.suggestions.undo({ ...main, acceptance: acceptance ?? 0 })
    expect(await everything()).toEqual(before)
  })

  it('flagging a marked item as wrong keeps nested items local, and undo restores every byte', async () => {
    const { client, everything, read, seen } = await openMarks({
      'notes/health.md': '# Health\n\n- runs on Sundays\n- sees Dr. Who ^[local]\n  - about the liver\n',
    })
    const before = await everything()
    await client.suggestions.flag({ ...main, path: 'notes/health.md', line: 4, fault: 'wrong' })
    const [found] = (await client.suggestions.list(main)).open
    const { acceptance } = await client.suggestions.accept({ ...main, ids: [found?.id ?? ''] })
    expect(await read('notes/health.md')).toBe('# Health\n\n- runs on Sundays\n  - about the liver ^[private]\n')
    expect(await seen('notes/health.md')).not.toContain('liver')
    await client.suggestions.undo({ ...main, acceptance: acceptance ?? 0 })
    expect(await everything()).toEqual(before)
  })
})

it('erasing text moves its marker to the remaining local lines, and the search reports this', async () => {
  const { client, agent, read, seen } = await openMarks({
    'notes/health.md': '# Health\n\n- runs on Sundays\n- sees Lisa Kessler ^[local]\n  - about the liver\n',
    'notes/talk.md':
      '# Talk\n\n## Lisa Kessler ^[local]\n\n- she is ill\n\n## Weather\n\n- Lisa Kessler likes rain.\n- fine\n',
    'notes/plain.md': '# Plain\n\n- Lisa Kessler came.\n',
  })
  await agent.history.flush()
  const { places } = await client.permanentDeletion.find({ ...main, words: 'Lisa Kessler' })
  expect(places.flatMap(({ path, keepsPrivate }) => (keepsPrivate === true ? [path] : [])).sort()).toEqual([
    'notes/health.md',
    'notes/talk.md',
  ])
  for await (const _ of await client.permanentDeletion.run({ ...main, texts: ['Lisa Kessler'] }));
  expect(await read('notes/health.md')).toBe('# Health\n\n- runs on Sundays\n  - about the liver ^[private]\n')
  expect(await read('notes/talk.md')).toBe('# Talk\n\n\n- she is ill ^[private]\n\n## Weather\n\n- fine\n')
  expect(await seen('notes/talk.md')).not.toContain('ill')
})

describe('moves keep notes local', () => {
  const config = `agents:
  defaults: {}
  list:
    - id: main
      workspace: "{{workspace}}"
      # What is mine.
      visibility:
        private:
          - private/ # diaries
          - plans/secret.md
`
  const files = {
    'MEMORY.md': '# Memory\n',
    'private/a.md': '# A\n\nsecret of a\n',
    'private/health/b.md': '---\ntags: [x]\n---\n# B\n\nsecret of b\n',
    'plans/secret.md': 'secret of plans\n',
    'notes/links.md': 'See [[private/a]] and [[b]].\n',
    'notes/open.md': 'open to all\n',
  }

  async function openMoves(visibility = 'private') {
    const test = await openMarks(files, config.replace(' private:', ` ${visibility}:`))
    const rules = () => readFile(join(test.home, 'config.yaml'), 'utf8')
    const move = async (from: string, to: string) => {
      const plan = await test.client.links.planMove({ ...main, from, to })
      const done = await test.client.links.move({ ...main, from, to, plan: plan.id })
      expect(done.staysPrivate, 'as the plan says').toBe(plan.staysPrivate)
      return done
    }
    const undo = ({ change }: { change: number | null }) => test.client.history.revert({ ...main, change: change ?? 0 })
    const whole = async (path: string) => test.agent.marks().of(path, await test.read(path)).isFullyPrivate
    return { ...test, rules, move, undo, whole }
  }

  it('a moved folder or file with a rule gets one for its new path, and undo keeps it private', async () => {
    const { rules, move, undo, everything, whole } = await openMoves()
    const before = await everything()
    const folder = await move('private', 'mine/diary')
    expect(folder.staysPrivate).toBe(true)
    expect(await rules()).toMatch(/- private\/ # diaries\n\s+- plans\/secret\.md\n\s+- mine\/diary\/\n/)
    expect(await whole('mine/diary/health/b.md')).toBe(true)
    const file = await move('plans/secret.md', 'plans/other.md')
    expect(await rules()).toContain('- plans/other.md')
    await undo(file)
    await undo(folder)
    expect(await everything()).toEqual(before)
    expect(await whole('private/health/b.md')).toBe(true)
    expect(await whole('plans/secret.md')).toBe(true)
  })

  it('a folder inside a moved folder stays private, also for notes that come later', async () => {
    const { client, move, undo, agent, whole } = await openMoves()
    const folder = await move('plans', 'ideas')
    expect(await whole('ideas/secret.md')).toBe(true)
    await undo(folder)
    for (const [path, isPrivate] of [
      ['private', false],
      ['private/health', true],
    ] as const)
      await client.workspace.setFolderVisibility({ ...main, path, isPrivate })
    await move('private', 'mine')
    expect(agent.marks().of('mine/health/new.md', '').isFullyPrivate).toBe(true)
    expect(agent.marks().of('mine/new.md', '').isFullyPrivate).toBe(false)
  })

  it('notes that leave a local folder stay local: folders by a rule, notes by front matter; undo restores the texts', async () => {
    const { rules, move, undo, everything, read, whole } = await openMoves()
    const [before, settings] = [await everything(), await rules()]
    const note = await move('private/a.md', 'notes/a.md')
    expect(note.staysPrivate).toBe(true)
    expect(await read('notes/a.md')).toBe('---\nvisibility: private\n---\n\n# A\n\nsecret of a\n')
    expect(await rules()).toBe(settings)
    const folder = await move('private/health', 'health')
    expect(await rules()).toContain('- health/')
    expect(await whole('health/b.md')).toBe(true)
    await undo(folder)
    await undo(note)
    expect(await everything()).toEqual(before)
    expect((await move('notes/open.md', 'notes/shut.md')).staysPrivate).toBe(false)
    expect(await read('notes/shut.md')).toBe(files['notes/open.md'])
  })

  it('a deleted note stays local after restore, also if its folder was renamed; a copy is local', async () => {
    const { client, move, undo, whole, seen } = await openMoves()
    const removed = await client.workspace.remove({ ...main, path: 'private/a.md' })
    await move('private', 'mine')
    await undo(removed)
    expect(await whole('private/a.md')).toBe(true)
    const copy = await client.workspace.duplicate({ ...main, path: 'plans/secret.md' })
    expect(await seen(copy.path)).toBeUndefined()
  })
})
