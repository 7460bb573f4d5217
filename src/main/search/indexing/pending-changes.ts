/** What has changed and was not looked at yet, and when it is time to look. */
export class PendingChanges {
  readonly #debounceMs: number
  readonly #onDue: () => void
  readonly #onNoticed: () => void
  readonly #paths = new Set<string>()
  #isFull = false
  /** Changes noticed so far, and how many of them have been looked at. */
  #noticed = 0
  #looked = 0
  #timer: NodeJS.Timeout | undefined
  #isUrgent = false
  #isSavingPower = false

  /**
   * @param onDue it is time to look
   * @param onNoticed there is something to look at
   */
  constructor(debounceMs: number, onDue: () => void, onNoticed: () => void) {
    this.#debounceMs = debounceMs
    this.#onDue = onDue
    this.#onNoticed = onNoticed
  }

  get isEmpty(): boolean {
    return this.#paths.size === 0 && !this.#isFull
  }

  get noticed(): number {
    return this.#noticed
  }

  add(path: string): void {
    this.#paths.add(path)
    this.#noticed += 1
    this.#onNoticed()
    this.#schedule(this.#debounceMs)
  }

  /** Something changed, and only a look at everything tells what. */
  addAll(delayMs: number = this.#debounceMs): void {
    this.expectAll()
    this.#noticed += 1
    this.#schedule(delayMs)
  }

  /** The next look is at everything, whenever it comes. */
  expectAll(): void {
    this.#isFull = true
    this.#onNoticed()
  }

  /** Somebody waits: single files are looked at now. A look at everything keeps its time, unless it has none. */
  hurry(): void {
    if (this.#paths.size > 0 || (this.#isSavingPower && this.#isFull)) this.#schedule(0)
  }

  /** While power is short, changes wait until somebody does. */
  savePower(isSaving: boolean): void {
    this.#isSavingPower = isSaving
    if (!isSaving && !this.isEmpty) this.#schedule(0)
  }

  /** Hands over what there is to look at. */
  take(): { readonly paths: readonly string[]; readonly isFull: boolean } {
    const taken = { paths: [...this.#paths], isFull: this.#isFull }
    this.#paths.clear()
    this.#isFull = false
    return taken
  }

  /** All that had been noticed up to this count has been looked at. */
  lookedAt(noticed: number): void {
    this.#looked = noticed
  }

  isLookedAt(noticed: number): boolean {
    return this.#looked >= noticed
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** Looks after the last of a series of changes; a look that somebody waits for is not put off by further ones. */
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
