/**
 * Calls are looked at for forms among what they carry. With the form of the web Node loads all of its network, some 25 ms in
 * every thread: until there is a form, none is needed to tell that something is not one.
 */

let isDeferred = false

/** Puts a stand-in in the place of `FormData` that becomes it as soon as one is made, or looked for. */
export function deferForms(): void {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'FormData')
  // Where it is loaded already, nothing is gained.
  if (isDeferred || own?.get === undefined) return
  isDeferred = true
  const real = () => own.get?.call(globalThis) as typeof FormData
  const standIn = new Proxy(function () {} as unknown as typeof FormData, {
    construct: (_, given) => Reflect.construct(real(), given),
    get: (_, key) => (key === Symbol.hasInstance ? isForm : Reflect.get(real(), key)),
  })
  const isForm = (value: unknown) =>
    Object.prototype.toString.call(value) === '[object FormData]' && value instanceof real()
  Object.defineProperty(globalThis, 'FormData', { value: standIn, configurable: true, writable: true })
}
