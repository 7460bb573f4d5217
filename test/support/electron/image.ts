/** nativeImage. Source: docs/api/native-image.md. */
import { existsSync } from 'node:fs'

export class Image {
  isTemplate = false
  readonly #source: string

  constructor(source: string) {
    this.#source = source
  }

  isEmpty(): boolean {
    return this.#source === ''
  }

  setTemplateImage(template: boolean): void {
    this.isTemplate = template
  }

  isTemplateImage(): boolean {
    return this.isTemplate
  }

  resize(): Image {
    return new Image(this.#source)
  }

  addRepresentation(): void {}

  getSize(): { width: number; height: number } {
    return this.isEmpty() ? { width: 0, height: 0 } : { width: 16, height: 16 }
  }

  toDataURL(): string {
    return 'data:image/png;base64,'
  }

  toPNG(): Buffer {
    return Buffer.from(this.#source)
  }
}

export const nativeImage = {
  createEmpty: (): Image => new Image(''),
  /** "returns an empty image if the `path` does not exist". */
  createFromPath: (path: string): Image => new Image(existsSync(path) ? path : ''),
  createFromBuffer: (buffer: Buffer): Image => new Image(buffer.length === 0 ? '' : 'buffer'),
  createFromDataURL: (url: string): Image => new Image(url),
}
