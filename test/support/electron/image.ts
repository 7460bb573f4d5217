/** nativeImage. Source: docs/api/native-image.md. */
import { existsSync } from 'node:fs'

export class Image {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

export const nativeImage = {
  createEmpty: (): Image => new Image(''),
  /** "returns an empty image if the `path` does not exist". */
  createFromPath: (path: string): Image => new Image(existsSync(path) ? path : ''),
}
