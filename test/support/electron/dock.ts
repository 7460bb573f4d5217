/** `app.dock`, on macOS only. Source: docs/api/dock.md. */
export class Dock {
  #visible = true

  hide(): void {
    this.#visible = false
  }

  isVisible(): boolean {
    return this.#visible
  }
}
