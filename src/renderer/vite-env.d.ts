/// <reference types="vite/client" />

interface Window {
  /** Undefined in a browser. */
  readonly commonplaceDesktop?: import('#shared/contract/update-state.ts').DesktopBridge
}
