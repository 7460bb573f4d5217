export interface UnitRow {
  readonly id: number
  readonly file: number
  readonly section: number
  readonly length: number
  readonly flags: number
  /** Speaker label; empty if the unit has none. */
  readonly label: string
}

const noUnit: UnitRow = { id: 0, file: 0, section: 0, length: 0, flags: 0, label: '' }

interface Section {
  length: number
  units: number
}

/** The searched units in memory, without their texts. Ids are those of the index; id 0 is never used: it means "none". */
export class UnitTable {
  readonly #places = new Map<number, { readonly rows: readonly UnitRow[]; readonly at: number }>()
  readonly #files = new Map<number, readonly UnitRow[]>()
  readonly #sections = new Map<number, Section>()
  readonly #labels = new Map<string, number>()
  #totalLength = 0

  get units(): number {
    return this.#places.size
  }

  get sections(): number {
    return this.#sections.size
  }

  /** Mean number of terms of a unit, at least 1. */
  get meanLength(): number {
    return Math.max(1, this.#totalLength / Math.max(1, this.units))
  }

  get meanSectionLength(): number {
    return Math.max(1, this.#totalLength / Math.max(1, this.sections))
  }

  /** Replaces the units of a file. @param rows in the order of the file; empty if the file was removed */
  setFile(file: number, rows: readonly UnitRow[]): void {
    for (const row of this.#files.get(file) ?? []) {
      this.#count(row, -1)
      this.#places.delete(row.id)
    }
    this.#files.delete(file)
    if (rows.length > 0) this.#files.set(file, rows)
    for (const [at, row] of rows.entries()) {
      this.#count(row, 1)
      this.#places.set(row.id, { rows, at })
    }
  }

  *ids(): Generator<number> {
    for (const rows of this.#files.values()) for (const { id } of rows) yield id
  }

  has(id: number): boolean {
    return this.#places.has(id)
  }

  /** Returns a row of zeros for an unknown id. */
  get(id: number): UnitRow {
    return this.#at(id, 0) ?? noUnit
  }

  /** Returns the unit at a distance within the file; 0 if there is none. */
  neighbour(id: number, distance: number): number {
    return this.#at(id, distance)?.id ?? 0
  }

  /** Returns the unit at a distance within the section; 0 if there is none. */
  sectionNeighbour(id: number, distance: number): number {
    const other = this.#at(id, distance)
    return other?.section === this.get(id).section ? other.id : 0
  }

  #at(id: number, distance: number): UnitRow | undefined {
    const place = this.#places.get(id)
    return place?.rows[place.at + distance]
  }

  labels(): string[] {
    return [...this.#labels.keys()]
  }

  sectionLength(section: number): number {
    return this.#sections.get(section)?.length ?? 0
  }

  /** @param sign 1 to add the unit to the statistics, -1 to remove it */
  #count({ section, length, label }: UnitRow, sign: 1 | -1): void {
    const known = this.#sections.get(section) ?? { length: 0, units: 0 }
    known.length += sign * length
    known.units += sign
    if (known.units > 0) this.#sections.set(section, known)
    else this.#sections.delete(section)
    this.#totalLength += sign * length
    if (label === '') return
    const speeches = (this.#labels.get(label) ?? 0) + sign
    if (speeches > 0) this.#labels.set(label, speeches)
    else this.#labels.delete(label)
  }
}
