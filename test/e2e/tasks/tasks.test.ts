/**
 * The tasks of a new user, from the first start. Each run does them in Chinese in the smallest window;
 * `THOROUGH=1` in all three languages and four sizes, with an axe check of each screen. `TASKS=1` prints the
 * clicks and time of each task.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTestServer } from '../../support/app.ts'
import { findings } from '../../support/axe.ts'
import { openPage } from '../../support/browser.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { isThorough } from '../../support/thorough.ts'
import { languages, type Language } from './step.ts'
import { tasks } from './tasks.ts'
import { Walk, type Effort } from './walk.ts'

const sizes = [
  [1440, 900],
  [1024, 700],
  [700, 700],
  [360, 740],
] as const

const ways = languages.flatMap((language) => sizes.map(([width, height]) => ({ language, width, height })))
const walked = isThorough ? ways : ways.filter(({ language, width }) => language === 'zh-CN' && width === 360)

async function openNew(language: Language, width: number, height: number): Promise<Page> {
  vi.stubEnv('HOME', await temporaryFolder())
  onTestFinished(() => void vi.unstubAllEnvs())
  const server = await openTestServer({ config: '' })
  const locale = language === 'en' ? 'en-US' : language
  const page = await openPage({ locale, viewport: { width, height } })
  // The calendar starts folded in a low window.
  await page.addInitScript(() => localStorage.setItem('commonplace.folded.logs', 'no'))
  await page.goto(server.url)
  return page
}

function tell(title: string, efforts: readonly Effort[]): void {
  if (process.env['TASKS'] === undefined) return
  const rows = efforts.map(
    ({ task, clicks, ms }) => `${String(clicks).padStart(3)} ${String(ms).padStart(6)} ms  ${task}`,
  )
  process.stdout.write(`${title}\n${rows.join('\n')}\n`)
}

describe('twenty-five tasks of a new user', () => {
  it('includes ten tasks that also work by keyboard', () => {
    expect(tasks).toHaveLength(25)
    expect(tasks.filter(({ byKeyboard }) => byKeyboard)).toHaveLength(10)
  })

  it.each(walked)('all are done in $language at $width × $height', { timeout: 300_000 }, async (way) => {
    const { language, width, height } = way
    const page = await openNew(language, width, height)
    const walk = new Walk(page, language, 'pointer')
    const efforts: Effort[] = []
    const found: string[] = []
    for (const task of tasks) {
      efforts.push(await walk.take(task))
      if (!isThorough) continue
      found.push(...(await findings(page)).map((finding) => `${task.want}: ${finding}`))
    }
    tell(`${language} ${width} × ${height}`, efforts)
    expect(found).toEqual([])
  })

  it.runIf(isThorough)('ten are done by the keyboard alone', { timeout: 300_000 }, async () => {
    const page = await openNew('en', 1440, 900)
    const byPointer = new Walk(page, 'en', 'pointer')
    const byKeyboard = new Walk(page, 'en', 'keyboard')
    const efforts: Effort[] = []
    for (const task of tasks)
      if (task.byKeyboard) efforts.push(await byKeyboard.take(task))
      else await byPointer.take(task)
    tell('by the keyboard alone', efforts)
    expect(efforts).toHaveLength(10)
  })
})
