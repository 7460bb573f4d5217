type Listener<T> = (change: T) => unknown

export type Subscribable<T> = Pick<EventEmitter<T>, 'subscribe'>

/** A listener that throws stops `emit`. */
export class EventEmitter<T = void> {
  protected readonly listeners = new Set<Listener<T>>()

  /** Does not need `this`. @returns a function that removes the listener */
  readonly subscribe = (listener: Listener<T>) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  emit(change: T): void {
    for (const listener of this.listeners) listener(change)
  }
}
