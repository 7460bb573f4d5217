/** Notes with meetings that decided nothing, and later notes with the decisions. */
import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { builtinFile } from '../../../recall/judged-set.ts'
import { createSearchIndex } from '../../../support/search-index.ts'

const provider = createBuiltinEmbeddings(builtinFile)

const meetings = {
  'memory/2025-09-02.md': `# 2025-09-02

## 10:00
Long talk about the mail provider: Postmark, Mailgun or our own server. We couldn't agree, Ida asks for offers.

## 13:30
Ida showed the drawings for the mail templates.

## 16:00
Went through the candidates for feature flags once more. The choice is postponed until nobody is on holiday, no decision.
`,
  'memory/2025-09-09.md': `# 2025-09-09

## 09:30
Map library for the delivery view: Leaflet, MapLibre and Google Maps all have fans. Still undecided.

## 11:00
搜索引擎开会聊了很久，Elasticsearch、Meilisearch 各有各的好，最后也没定下来。

## 15:00
前端测试框架大家意见不一，谈不拢，下周再议。

## 16:00
数据库讨论了一个钟头，MySQL 和 MongoDB 各执一词，没有结论。

## 16:30
监控平台聊了半小时，Datadog 还是 Grafana，还没决定，老周先看价格。

## 17:00
晚饭和老周去了河边的面馆。
`,
}

const decisions = {
  'memory/2025-11-18.md': `# 2025-11-18

## 10:00
Mail: went with Postmark, their bounce reports are better.

## 11:30
The mail server of the office was down for an hour.

## 14:00
Feature flags: picked Unleash and host it ourselves.
`,
  'memory/2025-12-01.md': `# 2025-12-01

## 09:00
For the map in the delivery view we chose MapLibre.

## 10:30
搜索引擎选了 Meilisearch，够快也省心。

## 12:00
前端测试改用 Playwright。

## 15:00
跑完测试之后定了用 PostgreSQL。

## 15:30
看完价格定了 Grafana。

## 16:00
搜索页的空白状态画好了。
`,
}

const questions = [
  ['What did we decide about the mail provider?', 'Postmark', 'Long talk'],
  ['What did we settle on for feature flags?', 'Unleash', 'Went through'],
  ['Which map library did we go with?', 'MapLibre.', 'Map library'],
  ['我们之前决定搜索引擎用什么', 'Meilisearch，够快', '开会聊'],
  ['我们之前选了什么数据库', 'PostgreSQL', '各执一词'],
  ['我们之前决定监控平台用什么', '定了 Grafana', '聊了半小时'],
] as const

describe('a question for a decision', () => {
  const decided = createSearchIndex({ ...meetings, ...decisions }, provider)
  it.each(questions)('finds it before the meeting that left it open: %s', async (question, decision, meeting) => {
    const [first, ...others] = (await decided.search(question)).results
    expect(first?.snippet).toContain(decision)
    const likely = others.filter(({ score }) => score >= 0.25)
    expect(likely.filter(({ snippet }) => snippet.includes(meeting))).toEqual([])
  })

  const open = createSearchIndex(meetings, provider)
  it.each(questions)('finds the meeting if nothing is decided: %s', async (question, _decision, meeting) => {
    const [first] = (await open.search(question)).results
    expect(first?.snippet).toContain(meeting)
  })
})
