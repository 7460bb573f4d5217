import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { createBuiltinEmbeddings } from '../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { isHit, parseQuestions } from '../../../src/main/search/evaluation/judged-questions.ts'
import { Searcher } from '../../../src/main/search/ranking/searcher.ts'
import { QueryEmbedder } from '../../../src/main/search/vector/query-embedder.ts'
import { builtinFile, defaults } from '../../recall/judged-set.ts'
import { openTestApp, untouchedConfig } from '../../support/app.ts'
import { createSearchIndex } from '../../support/search-index.ts'

/** A Saturday. */
const now = () => new Date(2026, 10, 28, 12)
const provider = createBuiltinEmbeddings(builtinFile)

function openSet(name: string) {
  const folder = fileURLToPath(new URL(`../../recall/${name}/`, import.meta.url))
  const workspace = join(folder, 'workspace')
  const paths = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
  const files = Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(workspace, path), 'utf8')]))
  const questions = parseQuestions(readFileSync(join(folder, 'queries.jsonl'), 'utf8'), name)
  return { files, questions }
}

const sets = { 'work-notes-en': openSet('work-notes-en'), 'work-notes-zh': openSet('work-notes-zh') }
type SetName = keyof typeof sets

/** Returns a function that tells whether the first result of a question is right. */
function openSearch(name: SetName) {
  const embedder = new QueryEmbedder(provider, false, () => undefined)
  embedder.permit = { waitMs: 60_000 }
  const searcher = new Searcher(createSearchIndex(sets[name].files, provider).db, embedder, now)
  return async ({ query, relevant }: (typeof sets)[SetName]['questions'][number]) => {
    const { results } = await searcher.search(query, defaults, {}, false)
    const [first] = results
    return first !== undefined && relevant.some((lines) => isHit(first, lines))
  }
}

describe.each(['work-notes-en', 'work-notes-zh'] as const)('a search of %s', (name) => {
  const { questions } = sets[name]
  const isRight = openSearch(name)
  const isExample = ({ category }: (typeof questions)[number]) => String(category).startsWith('doc-')

  it.each(questions.filter(isExample))('puts the right line first: $query', async (question) => {
    expect(await isRight(question)).toBe(true)
  })

  it.each([
    ['dev', 0.85],
    ['held', 0.8],
  ])('puts the right line first for paraphrases: %s', async (split, least) => {
    const asked = questions.filter((question) => question.split === split && !isExample(question))
    let right = 0
    for (const question of asked) right += Number(await isRight(question))
    process.stdout.write(`${name} ${split}: ${right} of ${asked.length} first\n`)
    expect(asked.length).toBeGreaterThan(20)
    expect(right / asked.length).toBeGreaterThan(least)
  })
})

/** Returns the answers of the offline model, each from a new chat. */
async function answer(name: SetName, questions: readonly string[]): Promise<string[]> {
  const { app } = await openTestApp({ files: sets[name].files, config: untouchedConfig, now })
  const { chat, memory, sessions } = await app.agents.get('main')
  await memory.settle(20_000)
  await memory.waitForVectors()
  const answers: string[] = []
  for (const text of questions) {
    const sent = await chat.send({ text, session: undefined })
    await sent.ended
    const last = (await sessions.get(sent.session)).messages().at(-1)
    answers.push(last ? messageText(last.message) : '')
  }
  return answers
}

describe('an answer without a language model', () => {
  const answers = {
    'work-notes-en': {
      'What did we decide about the API?': 'We chose REST over GraphQL',
      'the database thing': 'Chose PostgreSQL for the database',
      POSTGRES_URL: 'Set POSTGRES_URL in .env',
      'What did I note on January 20th?': 'Deployed v2.3.0 to production',
      我们之前选了什么数据库: 'Chose PostgreSQL for the database',
      'What is SENTRY_TOKEN?': 'I found nothing in your memory',
      'v2.3.1': 'I found nothing in your memory',
    },
    'work-notes-zh': {
      昨天那个Bug修好了吗: '登录的 Bug 修好了',
      我们之前选了什么数据库: '数据库选用 PostgreSQL',
      HTTP接口: '我们选了 REST 而不是 GraphQL',
    },
  }

  it.each(['work-notes-en', 'work-notes-zh'] as const)('quotes the right line of %s, or none', async (name) => {
    const found = await answer(name, Object.keys(answers[name]))
    expect(found).toEqual(Object.values(answers[name]).map((line) => expect.stringContaining(line) as string))
  })
})
