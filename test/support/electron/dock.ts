/** `app.dock`, on macOS only. Source: docs/api/dock.md. */
import type { Menu } from './menu.ts'

export class Dock {
  #visible = true
  #badge = ''
  #menu: Menu | null = null
  bounces = 0

  show(): Promise<void> {
    this.#visible = true
    return Promise.resolve()
  }

  hide(): void {
    this.#visible = false
  }

  isVisible(): boolean {
    return this.#visible
  }

  setBadge(text: string): void {
    this.#badge = text
  }

  getBadge(): string {
    return this.#badge
  }

  setMenu(menu: Menu): void {
    this.#menu = menu
  }

  getMenu(): Menu | null {
    return this.#menu
  }

  setIcon(): void {}

  bounce(): number {
    this.bounces += 1
    return this.bounces
  }

  cancelBounce(): void {}
}
