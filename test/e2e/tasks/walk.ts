/** Carries out tasks in a page, by mouse or by keyboard alone, and counts clicks and keys. */
import i18next, { type i18n } from 'i18next'
import type { Locator, Page } from 'playwright-core'
import en from '../../../src/shared/i18n/en.json' with { type: 'json' }
import zhCN from '../../../src/shared/i18n/zh-CN.json' with { type: 'json' }
import zhTW from '../../../src/shared/i18n/zh-TW.json' with { type: 'json' }
import type { Called, Language, Name, Role, Said, Step, Task } from './step.ts'

const resources = { en: { translation: en }, 'zh-CN': { translation: zhCN }, 'zh-TW': { translation: zhTW } }

/** Limit of repeated key presses before a step fails. */
const maxPresses = 200

export interface Effort {
  readonly task: string
  /** Clicks and key presses, without typed text. */
  readonly clicks: number
  readonly ms: number
}

export class Walk {
  readonly #page: Page
  readonly #language: Language
  readonly #by: 'pointer' | 'keyboard'
  readonly #words: i18n
  #clicks = 0

  constructor(page: Page, language: Language, by: 'pointer' | 'keyboard') {
    this.#page = page
    this.#language = language
    this.#by = by
    this.#words = i18next.createInstance()
    void this.#words.init({ lng: language, resources, interpolation: { escapeValue: false }, initAsync: false })
  }

  /** @throws Error that names the failed step */
  async take({ want, steps }: Task): Promise<Effort> {
    const from = Date.now()
    this.#clicks = 0
    for (const [index, step] of steps.entries()) {
      try {
        await this.#step(step)
      } catch (error) {
        throw new Error(`“${want}”, step ${index + 1} (${JSON.stringify(step)}): ${String(error)}`, { cause: error })
      }
    }
    return { task: want, clicks: this.#clicks, ms: Date.now() - from }
  }

  async #step(step: Step): Promise<void> {
    switch (step.do) {
      case 'press':
        // The hints are in the sidebar.
        if (step.in === 'tour') await this.#openSidebar()
        return this.#press(await this.#there(this.#find(step.role, step.name, step.in, step.last)), step.role)
      case 'go': {
        await this.#openSidebar()
        const target = this.#sidebar().getByRole(step.role, { name: this.#pattern(step.name) })
        return this.#press(await this.#there(target.filter({ visible: true }).first()), step.role)
      }
      case 'fill': {
        const field = await this.#there(this.#find(step.role, step.name))
        await this.#focus(field)
        return field.fill(this.#said(step.text))
      }
      case 'choose': {
        if (step.aside) await this.#openSidebar()
        const list = await this.#there(this.#find('combobox', step.name))
        await this.#focus(list)
        await list.selectOption(step.value)
        return
      }
      case 'type':
        return this.#page.keyboard.type(this.#said(step.text))
      case 'keys':
        this.#clicks += 1
        await this.#page.keyboard.press(step.keys)
        // The sidebar of a narrow window takes a moment to close.
        if (step.keys === 'Escape') await this.#page.waitForTimeout(500)
        return
      case 'see':
        await this.#there(this.#seen(step))
        return
      case 'gone':
        return this.#seen(step).waitFor({ state: 'hidden' })
    }
  }

  async #press(target: Locator, role: Role): Promise<void> {
    if (this.#by === 'pointer') {
      this.#clicks += 1
      return target.click()
    }
    if (role === 'option') await this.#until(target, 'ArrowDown', (element) => element.ariaSelected === 'true')
    else await this.#focus(target)
    this.#clicks += 1
    await this.#page.keyboard.press(role === 'checkbox' ? 'Space' : 'Enter')
  }

  async #focus(target: Locator): Promise<void> {
    if (this.#by === 'pointer') {
      this.#clicks += 1
      return target.focus()
    }
    await this.#until(target, 'Tab', (element) => element === document.activeElement)
  }

  async #until(target: Locator, key: string, isThere: (element: Element) => boolean): Promise<void> {
    // Leaves the editor, in which Tab indents.
    if (key === 'Tab' && (await this.#page.locator('.monaco-editor :focus').count()) > 0)
      await this.#page.keyboard.press('Escape')
    for (let presses = 0; presses < maxPresses; presses += 1) {
      if (await target.evaluate(isThere)) return
      await this.#page.keyboard.press(key)
    }
    throw new Error(`${key} does not lead there`)
  }

  #find(role: Role, name: Called, within?: string, isLast = false): Locator {
    const room = within === undefined ? this.#page : this.#page.getByTestId(within)
    const found = room.getByRole(role, { name: this.#pattern(name) }).filter({ visible: true })
    return isLast ? found.last() : found.first()
  }

  #seen({ name, id, in: within }: { name?: Called; id?: string; in?: string }): Locator {
    if (id !== undefined) return this.#page.getByTestId(id).filter({ visible: true }).last()
    const room = within === undefined ? this.#page : this.#page.getByTestId(within).last()
    return room
      .getByText(name === undefined ? '' : this.#text(name))
      .filter({ visible: true })
      .first()
  }

  async #there(target: Locator): Promise<Locator> {
    await target.waitFor()
    return target
  }

  #sidebar(): Locator {
    return this.#page.getByRole('navigation', { name: this.#words.t('nav.main') })
  }

  /** Opens the sidebar if it is a drawer. */
  async #openSidebar(): Promise<void> {
    if ((await this.#sidebar().count()) > 0) return
    await this.#press(this.#find('button', 'shortcut.sidebar'), 'button')
    await this.#sidebar().waitFor()
  }

  /** Matches the start of a name: a shortcut or number can follow. */
  #pattern(name: Called): RegExp {
    return new RegExp(`^${this.#text(name).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`)
  }

  #text(name: Called): string {
    if (typeof name === 'string') return this.#translated(name, {})
    if ('text' in name) return this.#said(name.text)
    const values = Object.entries(name.with).map(([key, value]) => [
      key,
      typeof value === 'number' ? value : this.#said(value),
    ])
    return this.#translated(name.key, Object.fromEntries(values))
  }

  #translated(key: Name, values: Record<string, unknown>): string {
    // The union of all keys is too large for the type of `t`.
    return String(this.#words.t(key as 'nav.newChat', values))
  }

  #said(said: Said): string {
    return typeof said === 'string' ? said : said[this.#language]
  }
}
