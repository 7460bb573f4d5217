type Listener<T> = (change: T) => unknown

export interface Subscribable<T> {
  /** @returns a function that removes the listener */
  subscribe(listener: Listener<T>): () => void
}

/** A listener that throws stops `emit`. */
export class EventEmitter<T = void> implements Subscribable<T> {
  protected readonly listeners = new Set<Listener<T>>()

  /** Does not need `this`. */
  readonly subscribe = (listener: Listener<T>) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  emit(change: T): void {
    for (const listener of this.listeners) listener(change)
  }
}
