import { toBlob } from '../embeddings/embedding-provider.ts'
import { getMeta, setDimensions, setMeta, vectorDimensions, type Db } from '../indexing/index-schema.ts'
import type { CachedVectorRow } from '../indexing/index-store.ts'
import type { KnownFile, Source } from '../indexing/indexed-file.ts'
import { memoizeUntilWrite } from '../indexing/memoize-until-write.ts'
import { hashOf, type FileContent, type PreparedMetadata } from '../indexing/prepare-file.ts'
import { bytesOf, FileUpdate, fromDigest } from './file-update.ts'
import { bodyOf, prepareUnits, signCodeOf, type PreparedFile, type UnitSettings } from './prepare-units.ts'
import { versionKey } from './unit-schema.ts'
import { prepareStatements, type UnitCounts } from './unit-statements.ts'

export interface TextToEmbed {
  readonly id: number
  readonly hash: string
  readonly text: string
  readonly isPrivate: boolean
}

export interface EmbeddedText {
  readonly id: number
  readonly hash: string
  readonly vector: Float32Array
}

/** Writes the index of units. A reader of the same file loads the files whose `version` has changed. */
export class UnitStore {
  readonly db: Db
  readonly settings: UnitSettings
  readonly counts: () => UnitCounts
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(db: Db, settings: UnitSettings) {
    this.db = db
    this.settings = settings
    this.#statements = prepareStatements(db)
    this.counts = memoizeUntilWrite(db, () => this.#statements.counts.get() ?? { files: 0, units: 0, embedded: 0 })
  }

  knownFiles(): KnownFile[] {
    return this.#statements.knownFiles.all()
  }

  knownFile(source: Source, path: string): KnownFile | undefined {
    return this.#statements.knownFile.get(source, path)
  }

  /** Returns the hashes of a file's units, so that `prepareUnits` leaves out their contents. */
  knownUnits(source: Source, path: string): Set<string> {
    return new Set(this.#statements.hashes.all(source, path))
  }

  /** Runs `work` in a transaction that takes the write lock at once; within another transaction, as part of it. */
  transaction(work: () => void): void {
    if (this.db.inTransaction) return work()
    this.db.transaction(work).immediate()
  }

  prepare(file: FileContent): PreparedFile {
    return prepareUnits(file, this.settings, this.knownUnits(file.source, file.path))
  }

  /** Units whose hash is unchanged keep id, terms and vector. */
  replaceFile(file: PreparedFile): void {
    this.transaction(() => {
      const { units: _units, contents: _contents, vectors, metadata, ...facts } = file
      const known = this.#statements.file.get(file.source, file.path)
      const fileId = this.#statements.putFile.get({ ...facts, version: 0 }) ?? 0
      this.#replaceMetadata(fileId, metadata)
      const hasChanged = new FileUpdate(this.#statements, file, fileId, this.settings).apply()
      if (hasChanged || !known) this.#statements.setVersion.run(this.#nextVersion(), fileId)
      if (vectors) this.#noteDimensions(vectors.dimensions)
    })
  }

  /** For a file whose text is the same. */
  touchFile({ path, source, mtime, size }: Pick<KnownFile, 'path' | 'source' | 'mtime' | 'size'>): void {
    this.#statements.touchFile.run(mtime, size, source, path)
  }

  removeFile(source: Source, path: string): void {
    this.transaction(() => {
      const known = this.#statements.file.get(source, path)
      if (!known) return
      const file = { path, source, metadata: { tags: [], properties: [], names: [] }, units: [], contents: [] }
      new FileUpdate(this.#statements, { ...file, vectors: undefined }, known.id, this.settings).apply()
      this.#replaceMetadata(known.id, file.metadata)
      this.#statements.removeFile.run(known.id)
      this.#nextVersion()
    })
  }

  /** Returns up to `limit` units after `afterId` that have no vector, in the order of their ids. */
  textsToEmbed(afterId: number, limit: number): TextToEmbed[] {
    return this.#statements.toEmbed.all(afterId, limit).map(({ id, private: isPrivate, ...unit }) => {
      const text = bodyOf(unit)
      return { id, hash: hashOf(text), text, isPrivate: isPrivate === 1 }
    })
  }

  /** @param hash of the embedded text */
  cachedVector(provider: string, model: string, hash: string, dimensions: number): CachedVectorRow | undefined {
    return this.#statements.cached.get(provider, model, dimensions, hash)
  }

  /** Stores vectors of length 1. */
  storeVectors(provider: string, model: string, texts: readonly EmbeddedText[]): void {
    this.transaction(() => {
      for (const { id, hash, vector } of texts) {
        const cached = this.#statements.cache.get(provider, model, vector.length, hash, toBlob(vector)) ?? 0
        this.#noteDimensions(vector.length)
        this.#statements.setVector.run(cached, id)
        this.#statements.putCode.run(signCodeOf(vector), id)
      }
    })
  }

  /**
   * Computes missing digests of up to `limit` units after `afterId`. Only units indexed while the model could not be
   * loaded lack one. @returns the last id; undefined if none is left
   * @throws AppError `provider_unavailable` if the model can't be loaded
   */
  storeMissingDigests(afterId: number, limit: number): number | undefined {
    const { model } = this.settings
    const texts = this.textsToEmbed(afterId, limit)
    if (!model || texts.length === 0) return undefined
    this.transaction(() => {
      for (const { id, text } of texts) {
        const digest = model.digestOf(text)
        const { vector, length } = model.vectorOf(digest)
        this.#noteDimensions(vector.length)
        this.#statements.setVector.run(fromDigest, id)
        this.#statements.putDigest.run(id, bytesOf(digest), length)
        this.#statements.putCode.run(signCodeOf(vector), id)
      }
    })
    return texts.at(-1)?.id
  }

  /** Removes all vectors, because the model now returns vectors of another length. */
  resetVectors(dimensions: number): void {
    this.transaction(() => {
      this.db.exec('DELETE FROM unit_codes; DELETE FROM unit_digests')
      this.#statements.clearVectors.run()
      setDimensions(this.db, dimensions)
    })
  }

  /** The first vector determines the dimensions of the index. */
  #noteDimensions(dimensions: number): void {
    if (dimensions > 0 && vectorDimensions(this.db) === 0) setDimensions(this.db, dimensions)
  }

  #nextVersion(): number {
    const version = Number(getMeta(this.db, versionKey) ?? 0) + 1
    setMeta(this.db, versionKey, String(version))
    return version
  }

  #replaceMetadata(file: number, { tags, properties, names }: PreparedMetadata): void {
    for (const statement of this.#statements.removeMetadata) statement.run(file)
    for (const { tag, line } of tags) this.#statements.putTag.run(tag, file, line)
    for (const { name, value, line } of properties) this.#statements.putProperty.run(name, file, line, value)
    for (const { name, place } of names) this.#statements.putName.run(file, place, name)
  }
}
