/**
 * Plays the story of the demo with the app itself, day by day, so that its chats, requests, history and suggestions have
 * the form that the app writes. The app's clock shows the time of the story, and a scripted model answers.
 */
import { createRouterClient } from '@orpc/server'
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse, stringify } from 'yaml'
import { createRouter } from '../../src/main/app/api/router.ts'
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { DemoDates } from './dates.mjs'
import { startDemoModel } from './model.mjs'

const templates = dirname(fileURLToPath(import.meta.url))
const builtFolder = new URL('../../out/main/', import.meta.url)
const minuteMs = 60_000
/** Time of the story that an answer of the model takes. */
const answerMs = 7000
/** Time at which the log of a day is written. Chats of that day are later. */
const logTime = '19:00'
/** Hour of the day before which today's log is `day-0-early.md`. */
const earlyHour = 9
const lineReference = /\{\{line ([^|}]+) \| ([^}]+)\}\}/g

/** Writes the settings, notes and state of the demo into an empty folder. @param now time at which the story ends */
export async function playStory({ home, language, now }) {
  const folder = join(templates, language)
  const { agents, models, steps } = parse(readFileSync(join(folder, 'story.yaml'), 'utf8'))
  const story = new Story(folder, new DemoDates(now, language))
  const model = await startDemoModel({ models, onRequest: () => story.advance(answerMs) })
  const list = agents.map((agent) => ({ ...agent, workspace: join(home, agent.workspace) }))
  for (const { workspace } of list) mkdirSync(workspace)
  const writeConfig = (settings) =>
    writeFileSync(join(home, 'config.yaml'), stringify({ ...settings, agents: { ...settings.agents, list } }))
  const provider = { baseUrl: model.url }
  // The story has the titles of its chats.
  const defaults = { chat: { titles: false } }
  writeConfig({ providers: { openai: provider, 'openai-compatible': provider }, agents: { defaults } })
  const unusedLog = now.getHours() < earlyHour ? 'day-0.md' : 'day-0-early.md'
  const logs = agents.flatMap(({ id, workspace }) =>
    readdirSync(join(folder, workspace, 'memory'))
      .filter((name) => name !== unusedLog)
      .map((name) => {
        const [day] = name.split('.')
        return { agent: id, at: day.startsWith('day-0') ? 'now-20' : `${day} ${logTime}`, write: [`memory/${name}`] }
      }),
  )
  const byTime = [...logs, ...steps].sort((one, other) => story.timeOf(one) - story.timeOf(other))
  // The search thread keeps the time at which it starts, so the app starts again on each day with chats.
  const chatDays = steps.filter(({ chat }) => chat).map((step) => story.dayOf(step))
  const parts = Map.groupBy(byTime, (step) => chatDays.findLast((day) => day <= story.dayOf(step)))
  try {
    for (const part of parts.values()) {
      story.at = story.timeOf(part[0])
      const env = { OPENAI_API_KEY: 'demo' }
      const app = await createApp({ mainFolder: builtFolder, env, home, now: () => new Date(story.at) })
      try {
        await story.play(part, { app, agents, script: model.script })
      } finally {
        await app.close()
      }
    }
  } finally {
    model.close()
  }
  for (const [file, at] of story.writtenAt) utimesSync(file, at / 1000, at / 1000)
  writeConfig({})
  // The requests went to the model of the story.
  for (const name of ['outbound.jsonl', 'model-lists.json', 'logs'])
    rmSync(join(home, name), { recursive: true, force: true })
}

/** Returns the open suggestion of a rule, once the app has made it. @throws Error if it makes none */
function awaitSuggestion(rule, { client, id }) {
  return waitFor(`a suggestion of the rule ${rule}`, async () => {
    const { open } = await client.suggestions.list({ agent: id })
    return open.find((one) => one.rule === rule)
  })
}

/** Waits until the app has tested the saved searches after a change, and recorded the new result. */
function awaitRun(client, agent) {
  return waitFor('a recorded run after a change', async () => {
    const { runs } = await client.savedSearches.list({ agent })
    return runs.at(-1)?.cause === 'index'
  })
}

/** Returns the first result that is not undefined or false. @throws Error if there is none within 30 seconds */
async function waitFor(what, find) {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = await find()
    if (found) return found
    await sleep(100)
  }
  throw new Error(`the app has not made ${what}`)
}

class Story {
  /** Time of the app's clock, ms since the epoch. */
  at = 0
  /** Time of the last write of each note, by absolute path. */
  writtenAt = new Map()
  #folder
  #dates

  constructor(folder, dates) {
    this.#folder = folder
    this.#dates = dates
  }

  timeOf({ at }) {
    return this.#dates.timeOf(at)
  }

  dayOf(step) {
    return new Date(this.timeOf(step)).setHours(0, 0, 0, 0)
  }

  advance(ms) {
    this.at = Math.min(this.at + ms, this.#dates.now)
  }

  /** Plays steps, in order. */
  async play(steps, { app, agents, script }) {
    const client = createRouterClient(createRouter(app))
    const opened = new Map()
    const openAgent = async (id) => {
      const agent = await app.agents.get(id)
      const { changes, roots } = agent.workspace
      changes.subscribe(({ path }) => this.writtenAt.set(join(roots.workspace, path), this.at))
      opened.set(id, agent)
      return agent
    }
    await client.chat.models({ agent: agents[0].id, fresh: true })
    for (const step of steps) {
      this.at = Math.max(this.at, this.timeOf(step))
      const id = step.agent ?? agents[0].id
      const agent = opened.get(id) ?? (await openAgent(id))
      if (!step.write) await client.search.settle({ agent: id, vectors: true })
      const scene = { agent, client, id, script, notes: agents.find((one) => one.id === id).workspace }
      if (step.write) await this.#write(step.write, scene)
      if (step.edit) await this.#edit(step.edit, scene)
      if (step.chat) await this.#chat(step.chat, scene, step.at.startsWith('now'))
      if (step.check) await this.#check(step.check, scene)
      if (step.runChecks) await client.savedSearches.run({ agent: id })
      if (step.awaitRun) await awaitRun(client, id)
      if (step.flag) await this.#flag(step.flag, scene)
      if (step.remember) await this.#remember(step.remember, scene)
      if (step.suggestion) await awaitSuggestion(step.suggestion, scene)
      if (step.accept) await this.#accept(step.accept, scene)
      if (step.look) await client.suggestions.look({ agent: id })
    }
  }

  /** Writes notes from their templates, as the user. */
  async #write(paths, { client, id, notes }) {
    for (const path of paths) {
      const text = this.#dates.expand(readFileSync(join(this.#folder, notes, path), 'utf8'))
      await client.workspace.write({ agent: id, path: this.#dates.pathOf(path), text, expectedHash: null })
    }
  }

  async #edit({ path, from, to }, { client, id }) {
    const { text, hash } = await client.workspace.read({ agent: id, path })
    const replaced = this.#dates.expand(from)
    if (!text.includes(replaced)) throw new Error(`${path} lacks "${replaced}"`)
    const edited = text.replace(replaced, () => this.#dates.expand(to))
    await client.workspace.write({ agent: id, path, text: edited, expectedHash: hash, baseText: text })
  }

  async #remember({ text, section }, { client, id }) {
    await client.workspace.remember({ agent: id, text: this.#dates.expand(text), section })
  }

  /** Sends the messages of a chat. @param isOpen true if it is still going on when the story ends */
  async #chat({ title, model, isPrivate, turns, ...texts }, { agent, client, id, script }, isOpen) {
    const expand = (text) => this.#expand(text, agent)
    Object.assign(script, { flush: undefined, compaction: undefined, summary: undefined })
    for (const [name, text] of Object.entries(texts)) script[name] = await expand(text)
    let session
    for (const { user, wait = 1, calls = [], answer } of turns) {
      this.advance(wait * minuteMs)
      const rounds = await Promise.all(calls.map(async (call) => [JSON.parse(await expand(JSON.stringify(call)))]))
      script.answers = [...rounds, await expand(answer)]
      const message = await expand(user)
      // The search before an answer has a time limit, which the first search after a start can exceed.
      await client.search.query({ agent: id, query: message })
      const sent = await agent.chat.send({ text: message, session, model, isPrivate })
      await sent.ended
      session = sent.session
    }
    await client.chats.rename({ agent: id, session, name: title })
    if (isOpen) return
    await client.chats.end({ agent: id, session })
    await agent.chat.endings.check()
  }

  async #check({ query, line }, { agent, client, id }) {
    const { path, startLine } = await this.#lineOf(line, agent)
    const relevant = [{ path, startLine, endLine: startLine }]
    await client.savedSearches.add({ agent: id, question: { query, relevant } })
  }

  async #flag({ line, fault, query }, { agent, client, id }) {
    const { path, startLine } = await this.#lineOf(line, agent)
    await client.suggestions.flag({ agent: id, path, line: startLine, fault, query })
  }

  async #accept(rule, scene) {
    const suggestion = await awaitSuggestion(rule, scene)
    await scene.client.suggestions.accept({ agent: scene.id, ids: [suggestion.id] })
  }

  /** Replaces dates, and references to lines such as `{{line MEMORY.md | words of the line}}`, by `path:line`. */
  async #expand(text, agent) {
    let expanded = this.#dates.expand(text)
    for (const [reference, path, words] of expanded.matchAll(lineReference)) {
      const place = await this.#lineOf({ path, words }, agent)
      expanded = expanded.replace(reference, `${place.path}:${place.startLine}`)
    }
    return expanded
  }

  /** @throws Error if no line of the note has the words */
  async #lineOf({ path: template, words }, agent) {
    const path = this.#dates.pathOf(template.trim())
    const { text } = await agent.workspace.read(path)
    const startLine = text.split('\n').findIndex((line) => line.includes(this.#dates.expand(words).trim())) + 1
    if (startLine === 0) throw new Error(`${path} has no line with "${words}"`)
    return { path, startLine }
  }
}
