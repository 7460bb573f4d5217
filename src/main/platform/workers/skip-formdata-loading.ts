/**
 * What is carried between threads is looked through for forms of the web, and with the form Node loads all of its network:
 * 25 ms in every thread, and more on a busy machine. A thread that carries no files (they travel as forms) needs none to tell
 * that something is not one.
 */

/** Takes `FormData` away from this thread. It is written over, never read: to read it, or to define it, loads it. */
export function withoutForms(): void {
  globalThis.FormData = NoForm as unknown as typeof FormData
  isAway = true
}

/** Gives it back, where it was taken away. */
export async function withForms(): Promise<void> {
  if (!isAway) return
  const { constructor } = await new Response(new URLSearchParams()).formData()
  globalThis.FormData = constructor as typeof FormData
  isAway = false
}

let isAway = false

class NoForm {
  constructor() {
    throw new TypeError('no forms are made in this thread')
  }

  /** Node's network, once something else has loaded it, has forms of its own. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object FormData]'
  }
}
