import { fromBlob, toBlob } from '../embeddings/embedding-provider.ts'
import { marksBy } from '#workspace/privacy'
import {
  cacheKey,
  getMeta,
  modelOfIndex,
  setDimensions,
  setMeta,
  vectorDimensions,
  type Db,
} from '../indexing/index-schema.ts'
import type { FileContent, ScannedFile, ResultSource } from '../indexing/indexed-file.ts'
import { fromText, updateUnits } from './file-update.ts'
import { noMetadata, type PreparedMetadata } from './prepare-metadata.ts'
import { bodyOf, unitHash, prepareUnits, signCodeOf, type PreparedFile, type UnitSettings } from './prepare-units.ts'
import { versionKey } from './unit-schema.ts'
import { prepareStatements, type IndexedFile, type UnitCounts } from './unit-statements.ts'

export type TextToEmbed = ReturnType<UnitStore['textsToEmbed']>[number]

export type EmbeddedText = Pick<TextToEmbed, 'id' | 'hash'> & { readonly vector: Float32Array }

const pageSize = 500

/** Size of the write-ahead log that triggers a checkpoint, in pages of 4 KiB; 1,000 is SQLite's default. */
const pagesOfLog = { usual: 1000, bulk: 8192 } as const

/** Writes the index of units. A reader of the same file loads the files whose `version` has changed. */
export class UnitStore {
  readonly db: Db
  readonly settings: UnitSettings
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(db: Db, settings: UnitSettings) {
    this.db = db
    this.settings = settings
    this.#statements = prepareStatements(db)
  }

  counts(): UnitCounts {
    return this.#statements.counts.get() ?? { files: 0, units: 0, embedded: 0 }
  }

  knownFiles(): IndexedFile[] {
    return this.#statements.knownFiles.all()
  }

  knownFile(source: ResultSource, path: string): IndexedFile | undefined {
    return this.#statements.knownFile.get(source, path)
  }

  isPrivateByRule(path: string): boolean {
    return marksBy(this.settings.folders).of(path, '').isFullyPrivate
  }

  hasOtherRule({ path, privateByRule }: IndexedFile): boolean {
    return this.isPrivateByRule(path) !== (privateByRule === 1)
  }

  /** Returns the hashes of a file's units, so that `prepareUnits` leaves out their contents. */
  knownUnits(source: ResultSource, path: string): Set<string> {
    return new Set(this.#statements.hashes.all(source, path))
  }

  /** If true, checkpoints run less often, so that pages that change repeatedly are written back less often. */
  setBulkMode(isBulk: boolean): void {
    this.db.pragma(`wal_autocheckpoint = ${isBulk ? pagesOfLog.bulk : pagesOfLog.usual}`)
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
      const privateByRule = Number(this.isPrivateByRule(file.path))
      const fileId = this.#statements.putFile.get({ ...facts, privateByRule, version: 0 }) ?? 0
      this.#replaceMetadata(fileId, metadata)
      const hasChanged = updateUnits(this.#statements, file, fileId, this.settings)
      if (hasChanged || !known) this.#statements.setVersion.run(this.#nextVersion(), fileId)
      if (vectors) this.#noteDimensions(vectors.dimensions)
    })
  }

  touchFile({ path, source, mtime, size }: Pick<ScannedFile, 'path' | 'source' | 'mtime' | 'size'>): void {
    this.#statements.touchFile.run(mtime, size, source, path)
  }

  removeFiles(files: readonly Pick<ScannedFile, 'source' | 'path'>[]): void {
    this.transaction(() => files.forEach(({ source, path }) => this.removeFile(source, path)))
  }

  /** @returns false if the index does not have the file */
  removeFile(source: ResultSource, path: string): boolean {
    const known = this.#statements.file.get(source, path)
    if (!known) return false
    this.transaction(() => {
      const file = { path, source, metadata: noMetadata, units: [], contents: [], vectors: undefined }
      updateUnits(this.#statements, file, known.id, this.settings)
      this.#replaceMetadata(known.id, file.metadata)
      this.#statements.removeFile.run(known.id)
      this.#nextVersion()
    })
    return true
  }

  /**
   * Returns up to `limit` units after `afterId` that have no vector, in the order of their ids.
   * @param isRemote true leaves out private units and chats
   */
  textsToEmbed(afterId: number, limit: number, isRemote = false) {
    return this.#statements.toEmbed.all(Number(isRemote), afterId, limit).map(({ id, isPrivate, ...unit }) => {
      const text = bodyOf(unit)
      // `isPrivate`: a remote provider must not receive the text.
      return { id, hash: unitHash(text), text, isPrivate: isPrivate === 1 }
    })
  }

  countUnsent(): number {
    return this.#statements.unsent.get() ?? 0
  }

  storeVectors(provider: string, model: string, texts: readonly EmbeddedText[]): void {
    this.transaction(() => {
      for (const { id, hash, vector } of texts) {
        const row = this.#statements.cache.get(provider, model, vector.length, hash, toBlob(vector)) ?? 0
        this.#setVector(id, row, vector)
      }
    })
  }

  /** Gives units without a vector a cached one. @returns the number of units that got one */
  assignCachedVectors(provider: string, model: string, dimensions: number, isRemote: boolean): number {
    let assigned = 0
    for (let last: number | undefined = 0; last !== undefined;) {
      const texts = this.textsToEmbed(last, pageSize, isRemote)
      this.transaction(() => {
        for (const { id, hash } of texts) {
          const cached = this.#statements.cached.get(provider, model, dimensions, hash)
          if (!cached) continue
          this.#setVector(id, cached.id, fromBlob(cached.vector))
          assigned += 1
        }
      })
      last = texts.at(-1)?.id
    }
    return assigned
  }

  /**
   * Computes missing codes of up to `limit` units after `afterId`. Only units indexed while the model could not be
   * loaded lack one. @returns the last id; undefined if none is left
   * @throws AppError `provider_unavailable` if the model can't be loaded
   */
  storeMissingCodes(afterId: number, limit: number): number | undefined {
    const { model } = this.settings
    const texts = this.textsToEmbed(afterId, limit)
    if (!model || texts.length === 0) return undefined
    this.transaction(() => {
      for (const { id, text } of texts) {
        const { vector, length } = model.vectorOf(model.tokensOf(text))
        this.#setVector(id, fromText, vector, length)
      }
    })
    return texts.at(-1)?.id
  }

  resetVectors(dimensions: number): void {
    this.transaction(() => {
      this.db.exec('DELETE FROM unit_codes')
      this.#statements.clearVectors.run()
      setDimensions(this.db, dimensions)
    })
  }

  /**
   * Removes cached vectors that no unit has: those of other models and of removed units.
   * @param always false does nothing if there are no vectors of other models
   */
  removeUnusedVectors(always: boolean): void {
    const { model, ...asked } = modelOfIndex(this.db)
    const key = cacheKey(asked)
    if (always || this.#statements.otherVectors.get({ key, model })) this.#statements.removeUnusedVectors.run()
  }

  /** Truncates the write-ahead log, so that the file alone is the whole index. */
  close(): void {
    if (!this.db.open) return
    this.db.pragma('wal_checkpoint(TRUNCATE)')
    this.db.close()
  }

  #setVector(id: number, row: number, vector: Float32Array, length: number | null = null): void {
    this.#noteDimensions(vector.length)
    this.#statements.setVector.run(row, id)
    this.#statements.putCode.run(signCodeOf(vector), length, id)
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
    for (const { name, place, isPrivate } of names) this.#statements.putName.run(file, place, name, Number(isPrivate))
  }
}
