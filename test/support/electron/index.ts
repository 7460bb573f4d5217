/**
 * A stand-in for Electron, written from its documentation and its public tests. Each rule names its page or file in
 * github.com/electron/electron. Electron's own runtime runs the same scenarios where it is installed.
 */
export { Computer } from './computer.ts'
export type { Platform } from './host.ts'
export type { BaseWindow } from './window.ts'
