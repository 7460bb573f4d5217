/** Events, destroyed objects and turns of the event loop, as Electron has them. */
import { EventEmitter } from 'node:events'

export interface ElectronEvent {
  readonly defaultPrevented: boolean
  preventDefault(): void
}

export type Cancelled = boolean

export function newEvent<Fields extends object>(fields: Fields): ElectronEvent & Fields {
  let prevented = false
  return Object.defineProperties({ ...fields } as ElectronEvent & Fields, {
    defaultPrevented: { get: () => prevented, enumerable: true },
    preventDefault: { value: () => void (prevented = true) },
  })
}

/** Emits an event whose first argument is an Electron event. Returns whether a listener called preventDefault. */
export function emit(emitter: EventEmitter, name: string, fields: object = {}, ...rest: unknown[]): Cancelled {
  const event = newEvent(fields)
  emitter.emit(name, event, ...rest)
  return event.defaultPrevented
}

/**
 * Makes each method, getter and setter of a class throw once its object is destroyed.
 * Source: spec/api-browser-window-spec.ts, "prevents users to access methods of webContents";
 * `id` stays readable: "should allow access to id after destruction".
 */
export function throwWhenDestroyed(type: { prototype: { isDestroyed(): boolean } }, readable: readonly string[]): void {
  const kept = new Set(['constructor', 'isDestroyed', ...readable])
  const check = (self: { isDestroyed(): boolean }): void => {
    if (self.isDestroyed()) throw new TypeError('Object has been destroyed')
  }
  for (const [name, found] of Object.entries(Object.getOwnPropertyDescriptors(type.prototype))) {
    if (kept.has(name)) continue
    const wrapped: PropertyDescriptor = { configurable: true, enumerable: found.enumerable ?? false }
    for (const kind of ['get', 'set', 'value'] as const) {
      const inner: unknown = found[kind]
      if (typeof inner !== 'function') continue
      wrapped[kind] = function (this: { isDestroyed(): boolean }, ...args: unknown[]): unknown {
        check(this)
        return Reflect.apply(inner, this, args)
      }
    }
    Object.defineProperty(type.prototype, name, wrapped)
  }
}

// Tests can replace the timers of the process. The stand-in keeps the real one.
const nextTurn = setImmediate

/** Runs work in later turns of the event loop, and says when none is left. */
export class Turns {
  #waiting = 0

  later(work: () => void): void {
    this.#waiting += 1
    nextTurn(() => {
      this.#waiting -= 1
      work()
    })
  }

  /** Waits for work that is not done in turns, such as reading a file. */
  async wait<T>(work: Promise<T>): Promise<T> {
    this.#waiting += 1
    return work.finally(() => (this.#waiting -= 1))
  }

  /** Waits until no work is left for some turns, so that code of the app that awaits can run too. */
  async settled(turns = 20): Promise<void> {
    for (let quiet = 0; quiet < turns; quiet = this.#waiting === 0 ? quiet + 1 : 0)
      await new Promise<void>((resolve) => void nextTurn(resolve))
  }
}
