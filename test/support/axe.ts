/** Runs the accessibility checks of axe on a page. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the serious and critical findings, one line each. */
export async function findings(page: Page): Promise<string[]> {
  // Fading elements have other colours meanwhile, and some animations start a frame after their element appears.
  await page.evaluate(async () => {
    for (let still = 0; still < 3; still += 1) {
      await new Promise(requestAnimationFrame)
      const moving = document
        .getAnimations()
        .filter(({ effect, playState }) => playState === 'running' && effect?.getTiming().iterations !== Infinity)
      if (moving.length > 0) still = 0
      await Promise.allSettled(moving.map(({ finished }) => finished))
    }
  })
  // The page's content security policy blocks script elements; `evaluate` uses the debugging protocol.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
      resultTypes: ['violations'],
      rules: { region: { enabled: false } },
    }),
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    )
}
