export class PendingChanges {
  readonly #debounceMs: number
  readonly #onDue: () => void
  readonly #paths = new Set<string>()
  #isFull = false
  /** Number of changes noticed so far: the position that `markSynced` and `isSynced` take. */
  noticed = 0
  #synced = 0
  #timer: NodeJS.Timeout | undefined
  #isUrgent = false
  #isSavingPower = false

  constructor(debounceMs: number, onDue: () => void) {
    this.#debounceMs = debounceMs
    this.#onDue = onDue
  }

  get isEmpty(): boolean {
    return this.#paths.size === 0 && !this.#isFull
  }

  add(path: string): void {
    this.#paths.add(path)
    this.noticed += 1
    this.#schedule(this.#debounceMs)
  }

  requestFullSync(delayMs: number = this.#debounceMs): void {
    this.markFull()
    this.noticed += 1
    this.#schedule(delayMs)
  }

  markFull(): void {
    this.#isFull = true
  }

  /** Syncs changed paths now. A full scan keeps its schedule, unless power saving has suspended it. */
  flush(): void {
    if (this.#paths.size > 0 || (this.#isSavingPower && this.#isFull)) this.#schedule(0)
  }

  savePower(isSaving: boolean): void {
    this.#isSavingPower = isSaving
    if (!isSaving && !this.isEmpty) this.#schedule(0)
  }

  take(): { readonly paths: readonly string[]; readonly isFull: boolean } {
    const taken = { paths: [...this.#paths], isFull: this.#isFull }
    this.#paths.clear()
    this.#isFull = false
    return taken
  }

  markSynced(noticed: number): void {
    this.#synced = noticed
  }

  isSynced(noticed: number): boolean {
    return this.#synced >= noticed
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** Debounces. A sync that is due at once is not postponed by later changes. */
  #schedule(delayMs: number): void {
    if (this.#isUrgent || (this.#isSavingPower && delayMs > 0)) return
    this.#isUrgent = delayMs === 0
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#isUrgent = false
      this.#onDue()
    }, delayMs)
  }
}
